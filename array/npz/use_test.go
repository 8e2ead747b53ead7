package npz

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestUse tests that Use accepts archives that have just been written, and returns an error if an archive changes while
// Use reads it.
func TestUse(t *testing.T) {
	oracle.AnyProcessor(t)
	path := filepath.Join(t.TempDir(), "a.npz")
	save := func(x float64) int {
		v, err := array.FromSlice([]float64{x, x})
		if err == nil {
			err = Save(path, map[string]array.Array{"x": v.Array()})
		}
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return int(info.Size())
	}
	sum, kept := 0.0, (*Archive)(nil)
	add := func(a *Archive) error {
		x, err := a.Array("x")
		if err != nil {
			return err
		}
		v, err := array.As[float64](x)
		if err == nil {
			sum, kept = sum+array.Sum[float64](v), a
		}
		return err
	}
	save(1)
	if err := Use(path, add); err != nil || sum != 2 {
		t.Fatalf("%v, %v", sum, err)
	}
	if _, err := kept.Array("x"); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("after Use the archive is still open: %v", err)
	}
	failed := errors.New("failed")
	for _, tt := range []struct {
		name string
		do   func(size int) error
		want error
	}{
		{"its own error", func(int) error { return failed }, failed},
		{"cut within the last page", func(n int) error { return os.Truncate(path, int64(n-8)) }, mmap.ErrChanged},
		{"cut, and put back", func(n int) error {
			return errors.Join(os.Truncate(path, int64(n-8)), os.Truncate(path, int64(n)))
		}, mmap.ErrChanged},
		{"replaced", func(int) error { save(3); return nil }, mmap.ErrReplaced},
		{"removed", func(int) error { return os.Remove(path) }, mmap.ErrReplaced},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tt.want != nil && tt.want != failed {
				t.Skip("Windows does not allow this change of a mapped file")
			}
			size := save(2)
			err := Use(path, func(a *Archive) error {
				if err := add(a); err != nil {
					return err
				}
				return tt.do(size)
			})
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: %v", tt.name, err)
			}
		})
	}
	called := false
	if err := Use(path+".none", func(*Archive) error { called = true; return nil }); !errors.Is(err, fs.ErrNotExist) ||
		called {
		t.Errorf("no archive: %v, called: %v", err, called)
	}
}
