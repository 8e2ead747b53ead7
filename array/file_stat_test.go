package array

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"
	"unsafe"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestFileStat tests that Stat returns the size of the whole file, including rows that another File has appended.
func TestFileStat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	w := must(Create(path, dtype.Float64, index.C, 0, 2))
	defer w.Close()
	f := must(Open(path, mmap.ReadOnly))
	defer f.Close()
	for n := range 3 {
		for _, f := range []*File{w, f} {
			fi, err := f.Stat()
			if err != nil || fi.Name() != "a.npy" || fi.Size() != int64(128+16*n) || fi.IsDir() {
				t.Errorf("%d rows: %v, %v", n, fi, err)
			}
		}
		if err := w.Grow(1); err != nil {
			t.Fatal(err)
		}
	}
	memory := must(New(dtype.Float64, index.C, 3))
	defer memory.Close()
	x := new([3]float64)
	other := must(FromPointer(unsafe.Pointer(x), dtype.Float64, must(index.NewLayout([]int{3}, 8, index.C)),
		func() {}))
	defer other.Close()
	closed := must(Open(path, mmap.ReadOnly))
	closed.Close()
	for _, tt := range []struct {
		name string
		f    *File
		want string
		is   error
	}{
		{"anonymous", memory, "stat anonymous memory: unsupported operation: anonymous memory is not a file",
			errors.ErrUnsupported},
		{"foreign memory", other, "array: stat: unsupported operation: memory is not a file", errors.ErrUnsupported},
		{"closed", closed, "stat " + path + ": file already closed", fs.ErrClosed},
		{"zero", new(File), "array: stat: file already closed", fs.ErrClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if fi, err := tt.f.Stat(); fi != nil || err == nil || err.Error() != tt.want || !errors.Is(err, tt.is) {
				t.Errorf("%s: %v, %v, want %s", tt.name, fi, err, tt.want)
			}
		})
	}
}
