//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/ndmap/ndmap/mmap"
)

// waitUntilOld waits until the file at path, which has just been created, is old enough for Unchanged.
func waitUntilOld(t *testing.T, path string) {
	t.Helper()
	for range 100 {
		m, err := mmap.Open(path, mmap.ReadOnly)
		if err != nil {
			t.Fatal(err)
		}
		err = m.Unchanged()
		m.Close()
		if err == nil {
			return
		}
		time.Sleep(30 * time.Millisecond)
	}
	t.Fatalf("%s is never old enough", path)
}

// TestUnchanged tests that Unchanged detects every change of a file, including changes that restore its length or
// content.
func TestUnchanged(t *testing.T) {
	size := int64(2*page + 100)
	content := pages(3)[:size]
	write := func(path string, b []byte, off int64) error {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		_, err = f.WriteAt(b, off)
		return errors.Join(err, f.Close())
	}
	replace := func(path string) error {
		return errors.Join(os.WriteFile(path+".new", content, 0o666), os.Rename(path+".new", path))
	}
	const changed = "check DIR/t.npy: the file has been changed since it was opened"
	tests := []struct {
		name    string
		do      func(path string) error
		want    string
		is      error
		windows bool // Windows allows the change for mapped files
	}{
		{"nothing", func(string) error { return nil }, "", nil, true},
		{"read", func(path string) error { _, err := os.ReadFile(path); return err }, "", nil, true},
		{"cut within the last page", func(path string) error { return os.Truncate(path, size-1) },
			"check DIR/t.npy: the file has been changed: it has " + itoa(int(size)-1) + " bytes, and had " + itoa(int(size)) + " when it was opened", mmap.ErrChanged, false},
		{"cut, and longer again", func(path string) error {
			return errors.Join(os.Truncate(path, size-1), os.Truncate(path,
				size))
		},
			changed, mmap.ErrChanged, false},
		{"cut, and put back", func(path string) error {
			return errors.Join(os.Truncate(path, size-1), write(path, content[size-1:], size-1))
		}, changed, mmap.ErrChanged, false},
		{"longer", func(path string) error { return write(path, []byte{1}, size) },
			"check DIR/t.npy: the file has been changed: it has " + itoa(int(size)+1) + " bytes, and had " + itoa(int(size)) + " when it was opened", mmap.ErrChanged, true},
		{"written to", func(path string) error { return write(path, content[:1], 0) }, changed, mmap.ErrChanged, true},
		{"the time put back", func(path string) error {
			fi, err := os.Stat(path)
			return errors.Join(err, write(path, content[:1], 0), os.Chtimes(path, time.Time{}, fi.ModTime()))
		}, changed, mmap.ErrChanged, true},
		{"permissions", func(path string) error { return os.Chmod(path, 0o600) }, changed, mmap.ErrChanged, false},
		{"a second name", func(path string) error { return os.Link(path, path+".link") }, changed, mmap.ErrChanged, false},
		{"replaced", replace, "check DIR/t.npy: the path no longer names this file", mmap.ErrReplaced, false},
		{"cut, and replaced", func(path string) error { return errors.Join(os.Truncate(path, size-1), replace(path)) },
			"check DIR/t.npy: the path no longer names this file", mmap.ErrReplaced, false},
		{"removed", os.Remove, "check DIR/t.npy: the path no longer names this file: no such file", mmap.ErrReplaced, false},
		{"the folder moved", func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".moved") },
			"check DIR/t.npy: the path no longer names this file: no such file", mmap.ErrReplaced, false},
	}
	cfgs := []mmap.Config{{}, {Mode: mmap.ReadWrite}, {Mode: mmap.CopyOnWrite}, {Lock: true}, {Head: make([]byte, 100)}}
	dir := t.TempDir()
	name := func(i, k int) string { return filepath.Join(dir, itoa(i)+"."+itoa(k), "t.npy") }
	for i := range tests {
		for k := range cfgs {
			path := name(i, k)
			if err := errors.Join(os.Mkdir(filepath.Dir(path), 0o777), os.WriteFile(path, content, 0o666)); err != nil {
				t.Fatal(err)
			}
		}
	}
	waitUntilOld(t, name(len(tests)-1, len(cfgs)-1)) // the youngest
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && !tt.windows {
				return
			}
			for k, cfg := range cfgs {
				path := name(i, k)
				m, err := cfg.Open(path)
				if err != nil {
					t.Fatal(err)
				}
				defer m.Close()
				if err := m.Unchanged(); err != nil {
					t.Errorf("%+v: Unchanged of an unchanged file: %v", cfg, err)
				}
				if err := tt.do(path); err != nil {
					t.Fatal(err)
				}
				err = m.Unchanged()
				if tt.want != "" && err != nil {
					checkError(t, err, path, tt.want, tt.is)
				} else if tt.want != "" || err != nil {
					t.Errorf("%s, %+v: %v, want %q", tt.name, cfg, err, tt.want)
				}
			}
		})
	}
}

// TestUnchangedByItself checks that Unchanged also detects changes made by this program.
func TestUnchangedByItself(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(m *mmap.Map) error
	}{
		{"Grow", func(m *mmap.Map) error { return m.Grow(1) }},
		{"WriteAt", func(m *mmap.Map) error { _, err := m.WriteAt([]byte{1}, 0); return err }},
		{"Truncate", func(m *mmap.Map) error { return m.Truncate(1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tt.name != "Grow" {
				return // Windows does not shorten mapped files, and records the time of WriteAt, a store, late
			}
			path := writeFile(t, pages(1))
			waitUntilOld(t, path)
			m := open(t, path, mmap.ReadWrite)
			if err := errors.Join(m.Unchanged(), tt.do(m)); err != nil {
				t.Fatal(err)
			}
			if err := m.Unchanged(); !errors.Is(err, mmap.ErrChanged) {
				t.Errorf("%s: %v", tt.name, err)
			}
			if _, err := m.Refresh(); err != nil {
				t.Fatal(err)
			}
			if err := m.Unchanged(); !errors.Is(err, mmap.ErrChanged) {
				t.Errorf("%s, and Refresh: %v", tt.name, err)
			}
		})
	}
}

// TestUnchangedYoung checks that a file that was changed just before Open counts as changed, because another change
// may have the same time.
func TestUnchangedYoung(t *testing.T) {
	const young = "check DIR/t.npy: the file has been changed just before it was opened, and may have been since; open it again"
	for range 20 { // on a slow machine, the file may be too old when it is opened
		path := writeFile(t, pages(1))
		m := open(t, path, mmap.ReadOnly)
		err := m.Unchanged()
		if err == nil {
			continue
		}
		checkError(t, err, path, young, mmap.ErrChanged)
		waitUntilOld(t, path)
		if err := m.Unchanged(); !errors.Is(err, mmap.ErrChanged) {
			t.Errorf("the first changes have no trace, and Unchanged = %v", err)
		}
		if err := open(t, path, mmap.ReadOnly).Unchanged(); err != nil {
			t.Errorf("opened again: %v", err)
		}
		break
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	m, err := mmap.Create(path, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	checkError(t, m.Unchanged(), path, young, mmap.ErrChanged)

	second := time.Unix(1_700_000_000, 0)
	for _, tt := range []struct {
		ctime time.Time
		after time.Duration
		want  bool
	}{
		{second.Add(1), 0, true},
		{second.Add(1), 20*time.Millisecond - 1, true},
		{second.Add(1), 20 * time.Millisecond, false},
		{second.Add(1), -time.Hour, true}, // a clock that was set back
		{second, 20 * time.Millisecond, true},
		{second, 2*time.Second - 1, true}, // FAT has even seconds
		{second, 2 * time.Second, false},
	} {
		if got := mmap.Racy(tt.ctime, tt.ctime.Add(tt.after)); got != tt.want {
			t.Errorf("changed at %v, opened %v later: %v", tt.ctime, tt.after, got)
		}
	}
}

func TestUnchangedOther(t *testing.T) {
	m, err := mmap.Anonymous(page)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Unchanged(); err != nil {
		t.Errorf("memory: %v", err)
	}
	m.Close()
	checkError(t, m.Unchanged(), "", "check anonymous memory: file already closed", fs.ErrClosed)
	checkError(t, new(mmap.Map).Unchanged(), "", "check anonymous memory: file already closed", fs.ErrClosed)

	path := writeFile(t, pages(1))
	waitUntilOld(t, path)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err = mmap.Config{File: f}.Open(path + ".other")
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	checkError(t, m.Unchanged(), path, "check DIR/t.npy.other: the path no longer names this file: no such file",
		mmap.ErrReplaced)
	if runtime.GOOS == "windows" {
		return // Windows does not give an open file a second name
	}
	if err := os.Symlink(path, path+".other"); err != nil {
		t.Fatal(err)
	}
	if err := m.Unchanged(); err != nil {
		t.Errorf("by another name: %v", err)
	}
}
