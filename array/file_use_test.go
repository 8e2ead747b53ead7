package array

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestUse tests that Use accepts files that were written just now, and returns an error if they change while they are
// read.
func TestUse(t *testing.T) {
	oracle.AnyProcessor(t)
	dir := t.TempDir()
	one, two := filepath.Join(dir, "1.npy"), filepath.Join(dir, "2.npy")
	save := func(path string, x float64) { must(0, Save(path, must(FromSlice([]float64{x, x})).Array())) }
	save(one, 1)
	save(two, 2)
	sum, kept := 0.0, Array{}
	add := func(arrays []Array) error {
		for _, a := range arrays {
			sum += Sum[float64](must(As[float64](a)))
			kept = a
		}
		return nil
	}
	if err := UseAll([]string{one, two, one}, add); err != nil || sum != 8 {
		t.Fatalf("%v, %v", sum, err)
	}
	if err := kept.view.CheckOpen(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the File is open after UseAll: %v", err)
	}
	failed := errors.New("failed")
	for _, tt := range []struct {
		name string
		do   func() error
		want error
	}{
		{"its own error", func() error { return failed }, failed},
		{"longer", func() error { return os.WriteFile(two, make([]byte, 1000), 0o666) }, mmap.ErrChanged},
		{"cut within the last page", func() error { return os.Truncate(two, 136) }, mmap.ErrChanged},
		{"cut, and put back", func() error {
			return errors.Join(os.Truncate(two, 136), os.Truncate(two, 144))
		}, mmap.ErrChanged},
		{"replaced", func() error { save(two, 3); return nil }, mmap.ErrReplaced},
		{"removed", func() error { return os.Remove(two) }, mmap.ErrReplaced},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tt.want != nil && tt.want != failed {
				t.Skip("Windows does not allow this change of a mapped file")
			}
			save(two, 2)
			err := UseAll([]string{one, two}, func(arrays []Array) error {
				if err := add(arrays); err != nil {
					return err
				}
				return tt.do()
			})
			if !errors.Is(err, tt.want) {
				t.Errorf("%s: %v", tt.name, err)
			}
		})
	}
	called := false
	err := UseAll([]string{one, filepath.Join(dir, "none.npy")}, func([]Array) error { called = true; return nil })
	if !errors.Is(err, fs.ErrNotExist) || called {
		t.Errorf("a missing file: %v, called: %v", err, called)
	}
	if err := UseAll(nil, func(arrays []Array) error { called = len(arrays) == 0; return nil }); err != nil || !called {
		t.Errorf("no file: %v", err)
	}
}

// TestUseTruncated tests that Use returns an error that names the file if its function hits a page fault.
func TestUseTruncated(t *testing.T) {
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	path := tempPath(t)
	must(0, Save(path, must(FromSlice(make([]float64, 1<<20))).Array()))
	sum := 0.0
	err := Use(path, func(f *File) error {
		truncate(t, path, 4096)
		sum = Sum[float64](must(As[float64](f.Array)))
		return nil
	})
	if e, ok := errors.AsType[*mmap.FaultError](err); !ok || e.Path != path {
		t.Errorf("%v, %v", sum, err)
	}
}
