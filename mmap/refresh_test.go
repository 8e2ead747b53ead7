//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/ndmap/ndmap/mmap"
)

// TestRefresh tests that Refresh shows the length that another mapping has given the file, and that slices of the old
// bytes keep sharing its memory.
func TestRefresh(t *testing.T) {
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite} {
		path := writeFile(t, pages(1))
		w, m := open(t, path, mmap.ReadWrite), open(t, path, mode)
		first := m.Bytes()
		if grew, err := m.Refresh(); grew || err != nil {
			t.Errorf("%v: Refresh of an unchanged file = %v, %v", mode, grew, err)
		}
		size := page
		for _, more := range []int{1, page - 1, page, 3 << 20, 40 << 20} {
			size += more
			if err := w.Grow(more); err != nil {
				t.Fatal(err)
			}
			w.Bytes()[size-1] = byte(size / 3)
			w.Bytes()[0]++
			if grew, err := m.Refresh(); !grew || err != nil {
				t.Fatalf("%v: %d bytes: %v, %v", mode, size, grew, err)
			}
			b := m.Bytes()
			if len(b) != size || b[size-1] != byte(size/3) || b[0] != w.Bytes()[0] || first[0] != b[0] {
				t.Fatalf("%v: %d bytes, want %d, or the bytes differ", mode, len(b), size)
			}
		}
		if runtime.GOOS == "windows" {
			continue // Windows does not shorten mapped files
		}
		if err := w.Truncate(int64(page + 1)); err != nil {
			t.Fatal(err)
		}
		if grew, err := m.Refresh(); grew || err != nil || m.Len() != page+1 || w.Len() != page+1 {
			t.Errorf("%v: after Truncate: %v, %v, %d bytes", mode, grew, err, m.Len())
		}
		if fi, err := os.Stat(path); err != nil || fi.Size() != int64(page+1) {
			t.Errorf("%v: %v", mode, err)
		}
	}
}

// TestRefreshRefuses tests mappings that cannot be refreshed.
func TestRefreshRefuses(t *testing.T) {
	path := writeFile(t, pages(1))
	cow := open(t, path, mmap.CopyOnWrite)
	if grew, err := cow.Refresh(); grew || err != nil {
		t.Errorf("as long as the file: %v, %v", grew, err)
	}
	if err := open(t, path, mmap.ReadWrite).Grow(7); err != nil {
		t.Fatal(err)
	}
	_, err := cow.Refresh()
	checkError(t, err, path,
		"refresh DIR/t.npy: unsupported operation: the file has "+itoa(page+7)+" bytes and had "+itoa(page)+", but a CopyOnWrite mapping cannot change its length; open it again", errors.ErrUnsupported)
	m, err := mmap.Anonymous(page)
	if err != nil {
		t.Fatal(err)
	}
	if grew, err := m.Refresh(); grew || err != nil {
		t.Errorf("memory: %v, %v", grew, err)
	}
	m.Close()
	_, err = m.Refresh()
	checkError(t, err, path, "refresh anonymous memory: file already closed", fs.ErrClosed)
	w := open(t, path, mmap.ReadWrite)
	checkError(t, w.Truncate(int64(page+8)), path,
		"truncate DIR/t.npy: "+itoa(page+8)+" bytes are not within the mapping, which has "+itoa(page+7), nil)
	checkError(t, cow.Truncate(0), path, "truncate DIR/t.npy: not a file that is mapped ReadWrite", nil)
}

// TestStat tests that Stat describes the mapped file if the Map keeps the file open, also after a rename. Otherwise,
// Stat must return ErrReplaced after a rename.
func TestStat(t *testing.T) {
	for _, cfg := range []mmap.Config{{Mode: mmap.ReadOnly}, {Mode: mmap.ReadWrite}, {Mode: mmap.CopyOnWrite},
		{Mode: mmap.ReadOnly, Lock: true}} {
		path := writeFile(t, pages(1))
		m, err := cfg.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		check := func(what string, size int) {
			t.Helper()
			fi, err := m.Stat()
			if err != nil || fi.Size() != int64(size) || fi.Name() != "t.npy" || fi.IsDir() || fi.ModTime().IsZero() {
				t.Errorf("%+v: %s: %v, %v", cfg, what, fi, err)
			}
		}
		check("as it was", page)
		if !cfg.Lock {
			if err := open(t, path, mmap.ReadWrite).Grow(7); err != nil {
				t.Fatal(err)
			}
			check("longer", page+7)
		}
		if runtime.GOOS == "windows" {
			continue // Windows neither removes nor replaces mapped files
		}
		size := page + 7
		if cfg.Lock {
			size = page
		}
		held := cfg.Lock || cfg.Mode == mmap.ReadWrite
		fails := func(want string) {
			t.Helper()
			_, err := m.Stat()
			checkError(t, err, path, want, mmap.ErrReplaced)
		}
		if err := os.Rename(path, path+".old"); err != nil {
			t.Fatal(err)
		}
		if held {
			check("moved", size)
		} else {
			fails("stat DIR/t.npy: the path no longer names this file: no such file")
		}
		if err := os.WriteFile(path, pages(2), 0o666); err != nil {
			t.Fatal(err)
		}
		if held {
			check("replaced", size)
		} else {
			fails("stat DIR/t.npy: the path no longer names this file")
		}
		m.Close()
		_, err = m.Stat()
		checkError(t, err, path, "stat DIR/t.npy: file already closed", fs.ErrClosed)
	}
	m, err := mmap.Anonymous(page)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	_, err = m.Stat()
	checkError(t, err, "", "stat anonymous memory: unsupported operation: anonymous memory is not a file",
		errors.ErrUnsupported)
}

// TestCheckPath checks methods of a Map whose path names another file now.
func TestCheckPath(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are mapped are neither removed nor replaced")
	}
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite} {
		path := writeFile(t, pages(1))
		dir := filepath.Dir(path)
		m := open(t, path, mode)
		check := func(what, want string) {
			t.Helper()
			err := m.CheckPath()
			if want == "" && err == nil {
				return
			}
			checkError(t, err, path, want, mmap.ErrReplaced)
		}
		check("as it was", "")
		link := filepath.Join(dir, "link")
		if err := os.Link(path, link); err != nil {
			t.Fatal(err)
		}
		check("a second name", "")
		os.Remove(path)
		check("removed", "check DIR/t.npy: the path no longer names this file: no such file")
		if err := os.WriteFile(path, pages(2), 0o666); err != nil {
			t.Fatal(err)
		}
		check("replaced", "check DIR/t.npy: the path no longer names this file")
		if mode == mmap.ReadOnly {
			_, err := m.Refresh()
			checkError(t, err, path, "refresh DIR/t.npy: the path no longer names this file", mmap.ErrReplaced)
		}
		os.Rename(link, path)
		check("back", "")
		m.Close()
		checkError(t, m.CheckPath(), path, "check DIR/t.npy: file already closed", fs.ErrClosed)
	}
	// A relative path names the same file after a change of the current directory.
	path := writeFile(t, pages(1))
	t.Chdir(filepath.Dir(path))
	m := open(t, "t.npy", mmap.ReadWrite)
	t.Chdir("/")
	if err := m.CheckPath(); err != nil {
		t.Error(err)
	}
	// The parent of the target of a link is not the parent of the link.
	dir := t.TempDir()
	if err := os.Symlink(filepath.Join(filepath.Dir(path), "sub"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(path), "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	m = open(t, "link/../t.npy", mmap.ReadWrite)
	t.Chdir("/")
	if err := m.CheckPath(); err != nil {
		t.Error(err)
	}
	if _, err := m.Refresh(); err != nil {
		t.Error(err)
	}
}

// TestConfigFile maps a file that the caller has opened.
func TestConfigFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	_, err = mmap.Config{File: f}.Create("another name", -1)
	if err == nil {
		t.Fatal("a size of -1")
	}
	m, err := mmap.Config{File: f}.Create("another name", int64(page))
	if err != nil {
		t.Fatal(err)
	}
	copy(m.Bytes(), "abc")
	if m.Path() != "another name" {
		t.Error(m.Path())
	}
	if err := m.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the file is still open: %v", err)
	}
	if fi, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && fi.Mode() != 0o600 ||
		fi.Size() != int64(page) {
		t.Error(fi, err)
	}
	if f, err = os.Open(path); err != nil {
		t.Fatal(err)
	}
	if m, err = (mmap.Config{File: f}).Open("t"); err != nil || !bytes.HasPrefix(m.Bytes(), []byte("abc")) {
		t.Fatal(err)
	}
	m.Close()
	if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the file is still open: %v", err)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// TestEmptyReplaced checks that a mapping without bytes still belongs to the file that was opened, even if a new file
// at its path would get the same inode.
func TestEmptyReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are open are neither removed nor replaced")
	}
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite} {
		path := writeFile(t, nil)
		for i := range 20 {
			m := open(t, path, mode)
			if err := m.CheckPath(); err != nil {
				t.Error(err)
			}
			os.Remove(path)
			if err := os.WriteFile(path, []byte("other")[:i%2*5], 0o666); err != nil {
				t.Fatal(err)
			}
			checkError(t, m.CheckPath(), path, "check DIR/t.npy: the path no longer names this file", mmap.ErrReplaced)
			checkError(t, m.Unchanged(), path, "check DIR/t.npy: the path no longer names this file", mmap.ErrReplaced)
			if mode == mmap.ReadOnly {
				grew, err := m.Refresh()
				checkError(t, err, path, "refresh DIR/t.npy: the path no longer names this file", mmap.ErrReplaced)
				if grew || m.Len() != 0 {
					t.Errorf("%v, and %d bytes", grew, m.Len())
				}
			}
			m.Close()
			os.WriteFile(path, nil, 0o666)
		}
	}
}

// TestEmptyClosed checks that a Map closes the descriptor that it keeps for a file without bytes.
func TestEmptyClosed(t *testing.T) {
	for _, end := range []func(m *mmap.Map, path string) error{
		func(m *mmap.Map, _ string) error { return m.Close() },
		func(m *mmap.Map, path string) error {
			err := os.WriteFile(path, []byte("abc"), 0o666)
			grew, rerr := m.Refresh()
			if !grew || string(m.Bytes()) != "abc" {
				t.Errorf("%v, %q", grew, m.Bytes())
			}
			return errors.Join(err, rerr)
		},
	} {
		path := writeFile(t, nil)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		m, err := mmap.Config{File: f}.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if err := end(m, path); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("the file is still open: %v", err)
		}
	}
}
