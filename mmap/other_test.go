//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package mmap_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/mmap"
)

// TestUnsupported tests that operations that would write to a file return an error, and that Create leaves no file
// behind.
func TestUnsupported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	for _, size := range []int64{0, 1} {
		_, err1 := mmap.Open(path, mmap.ReadWrite)
		_, err2 := mmap.Create(path, size)
		_, err3 := mmap.Config{Sparse: true}.Create(path, size)
		for i, err := range []error{err1, err2, err3} {
			if pe := (*fs.PathError)(nil); !errors.Is(err, errors.ErrUnsupported) || !errors.As(err, &pe) {
				t.Errorf("%d, size %d: %v", i, size, err)
			}
		}
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
	if _, err := mmap.Open(path, mmap.ReadOnly); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
}

// TestRead tests files that are read instead of mapped, and anonymous memory.
func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	for _, content := range []string{"", "x", "some bytes"} {
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.CopyOnWrite} {
			m, err := mmap.Open(path, mode)
			if err != nil {
				t.Fatal(err)
			}
			if b := m.Bytes(); string(b) != content || cap(b) != len(content) || b == nil {
				t.Errorf("%v: %q, capacity %d", mode, b, cap(b))
			}
			for i := range m.Bytes() {
				m.Bytes()[i] = '?'
			}
			for _, err := range []error{m.Sync(), m.Advise(0, len(content), mmap.WillNeed), m.Close()} {
				if err != nil {
					t.Error(err)
				}
			}
			if got, err := os.ReadFile(path); string(got) != content || err != nil {
				t.Errorf("the file has %q, %v", got, err)
			}
			if err := m.Close(); !errors.Is(err, fs.ErrClosed) || m.Bytes() != nil {
				t.Errorf("the second Close: %v", err)
			}
		}
		if _, err := (mmap.Config{Lock: true}).Open(path); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Lock: %v", err)
		}
	}
	for _, size := range []int{0, 1, 100_000} {
		m, err := mmap.Anonymous(size)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(m.Bytes(), make([]byte, size)) || m.Bytes() == nil {
			t.Errorf("Anonymous(%d) has %d bytes", size, m.Len())
		}
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	if mmap.Live() != 0 {
		t.Errorf("%d mappings are left", mmap.Live())
	}
}

// TestGuard tests that Guard returns the error of f unchanged.
func TestGuard(t *testing.T) {
	own := errors.New("mine")
	if err := mmap.Guard(func() error { return own }); err != own {
		t.Errorf("Guard returns %v, want %v", err, own)
	}
}

// TestStatOther tests Stat of a file that is read and not mapped.
func TestStatOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	if err := os.WriteFile(path, make([]byte, 77), 0o666); err != nil {
		t.Fatal(err)
	}
	m, err := mmap.Open(path, mmap.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	if fi, err := m.Stat(); err != nil || fi.Size() != 77 || fi.Name() != "t.npy" {
		t.Error(fi, err)
	}
}
