//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package mmap_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/mmap"
)

// TestUnsupported guards that every function that maps says so, and that Create
// leaves no file.
func TestUnsupported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	for _, size := range []int{0, 1} {
		_, err1 := mmap.Open(path, mmap.ReadOnly)
		_, err2 := mmap.Create(path, int64(size))
		_, err3 := mmap.Config{Sparse: true}.Create(path, int64(size))
		_, err4 := mmap.Anonymous(size)
		for i, err := range []error{err1, err2, err3, err4} {
			if pe := (*fs.PathError)(nil); !errors.Is(err, errors.ErrUnsupported) || !errors.As(err, &pe) {
				t.Errorf("%d, size %d: %v", i, size, err)
			}
		}
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file was made: %v", err)
	}
	own := errors.New("mine")
	if err := mmap.Guard(func() error { return own }); err != own {
		t.Errorf("Guard returns %v, want %v", err, own)
	}
	if err := new(mmap.Map).Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Close of the zero Map: %v", err)
	}
}
