package array

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestOpenOrCreate tests which files OpenOrCreate opens, creates and refuses.
func TestOpenOrCreate(t *testing.T) {
	rows := sequence("<f8", index.C, 1, 2, 3)
	columns := sequence("<f8", index.F, 1, 3, 2)
	for _, tt := range []struct {
		name     string
		existing Array // zero for no file
		d        string
		order    index.Order
		shape    []int
		want     []int // the shape, nil for an error
		err      string
		is       error
	}{
		{name: "new", d: "<f8", shape: []int{0, 3}, want: []int{0, 3}},
		{name: "new, some rows", d: "<f8", shape: []int{5, 3}, want: []int{5, 3}},
		{name: "new, no dimensions", d: "<f8", want: []int{}},
		{name: "existing", existing: rows, d: "<f8", shape: []int{0, 3}, want: []int{2, 3}},
		{name: "existing, the other byte order", existing: rows, d: ">f8", shape: []int{0, 3}, want: []int{2, 3}},
		{name: "existing, shorter than a new one", existing: rows, d: "<f8", shape: []int{9, 3}, want: []int{2, 3}},
		{name: "existing, one dimension, either order", existing: sequence("<f8", index.C, 1, 7), d: "<f8", order: index.F,
			shape: []int{0}, want: []int{7}},
		{name: "new in F order", d: "<f8", order: index.F, shape: []int{3, 2}, want: []int{3, 2}},
		{name: "existing in F order", existing: columns, d: "<f8", order: index.F, shape: []int{3, 0}, want: []int{3, 2}},

		{name: "another dtype", existing: rows, d: "<f4", shape: []int{0, 3}, is: ErrDType,
			err: "the file has another dtype: have dtype <f8, want <f4"},
		{name: "another order", existing: rows, d: "<f8", order: index.F, shape: []int{2, 3}, is: ErrShape,
			err: "shape mismatch: the file is in C order, want F"},
		{name: "other rows", existing: rows, d: "<f8", shape: []int{0, 4}, is: ErrShape,
			err: "shape mismatch: the file has shape (2, 3), want (0, 4); only the length of axis 0 may differ"},
		{name: "other columns", existing: columns, d: "<f8", order: index.F, shape: []int{4, 0}, is: ErrShape,
			err: "shape mismatch: the file has shape (3, 2), want (4, 0); only the length of axis 1 may differ"},
		{name: "other dimensions", existing: rows, d: "<f8", shape: []int{0}, is: ErrShape,
			err: "shape mismatch: the file has shape (2, 3), want (0,)"},
		{name: "no columns to grow in F order", d: "<f8", order: index.F, shape: []int{3, 0}, is: ErrShape},
		{name: "no shape", d: "<f8", shape: []int{-1}, is: ErrShape},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := tempPath(t)
			if !tt.existing.IsZero() {
				if err := Save(path, tt.existing); err != nil {
					t.Fatal(err)
				}
			}
			for again := range 2 {
				f, err := OpenOrCreate(path, dtype.MustParse(tt.d), tt.order, tt.shape...)
				if (err == nil) != (tt.want != nil) || tt.is != nil && !errors.Is(err, tt.is) || tt.err != "" &&
					err.Error() != path+": "+tt.err {
					t.Errorf("%s: %v, want %s", tt.name, err, tt.err)
				}
				if err != nil {
					continue
				}
				if got := f.Shape(); nd.Tuple(got) != nd.Tuple(tt.want) || f.ReadOnly() {
					t.Errorf("%s: %v, read-only %v", tt.name, got, f.ReadOnly())
				}
				if again == 1 && len(tt.want) > 0 {
					if err := f.Grow(2); err != nil {
						t.Errorf("%s: %v", tt.name, err)
					}
				}
				f.Close()
			}
			if got := fileNames(t, filepath.Dir(path)); len(got) > 1 {
				t.Errorf("%s: the folder has %q", tt.name, got)
			}
		})
	}
}

// TestOpenOrCreateMode tests that OpenOrCreate maps existing and new files in the given mode, and locks them if Lock is
// set.
func TestOpenOrCreateMode(t *testing.T) {
	for _, mode := range []Mode{ReadOnly, ReadWrite, CopyOnWrite} {
		for _, lock := range []bool{false, true} {
			path := tempPath(t)
			for range 2 {
				f := must(OpenConfig{Mode: mode, Lock: lock}.OpenOrCreate(path, dtype.Int8, index.C, 3))
				if f.Map().Mode() != mode || f.ReadOnly() != (mode == ReadOnly) || fmt.Sprint(f) != "[0 0 0]" {
					t.Errorf("%v: mapped as %v: %v", mode, f.Map().Mode(), f)
				}
				g, err := OpenConfig{Mode: ReadWrite, Lock: true}.Open(path)
				if lock != errors.Is(err, mmap.ErrLocked) || lock != (err != nil) {
					t.Errorf("%v, lock %v: another lock: %v", mode, lock, err)
				}
				if err == nil {
					g.Close()
				}
				f.Close()
			}
		}
	}
}

// TestOpenOrCreateErrors tests that OpenOrCreate returns an error for a bad path and creates no file. For a dangling
// link, it must create the file that the link names.
func TestOpenOrCreateErrors(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(in("text"), []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{in("none/t.npy"): fs.ErrNotExist, in("text"): ErrFormat, dir: nil} {
		t.Run(path, func(t *testing.T) {
			if f, err := OpenOrCreate(path, dtype.Int8, index.C, 0); err == nil || want != nil && !errors.Is(err, want) {
				t.Errorf("%s: %v, %v, want %v", path, f, err, want)
			}
		})
	}
	if got := fileNames(t, dir); len(got) != 1 {
		t.Errorf("the folder has %q", got)
	}
	if runtime.GOOS == "windows" || os.Symlink("file.npy", in("link")) != nil {
		t.Skip("this system has no symbolic links")
	}
	f := must(OpenOrCreate(in("link"), dtype.Int8, index.C, 0))
	defer f.Close()
	if _, err := os.Stat(in("file.npy")); err != nil || f.Path() != in("link") || f.Append(newInt8Array(3)) != nil {
		t.Errorf("%s: %v", f.Path(), err)
	}
}

func newInt8Array(n int) Array { return must(FromBytes(make([]byte, n), dtype.Int8, index.C, n)) }

// TestOpenOrCreateRace opens one path several times at once. One call must create the file, all calls must open it, and
// no appended element may be lost.
func TestOpenOrCreateRace(t *testing.T) {
	for range oracle.Cases(t, 10) {
		path := tempPath(t)
		const n = 6
		var wg sync.WaitGroup
		for k := range n {
			start := func() {
				f, err := OpenOrCreate(path, dtype.Int64, index.C, 0)
				if err == nil {
					err = errors.Join(f.Append(sequence("<i8", index.C, k, 1)), f.Close())
				}
				if err != nil {
					t.Error(err)
				}
			}
			if runtime.GOOS == "windows" { // which does not map a file that is growing
				start()
			} else {
				wg.Go(start)
			}
		}
		wg.Wait()
		f := must(Open(path, ReadOnly))
		sum := Sum[int64](must(As[int64](f.Array)))
		if f.Len(0) != n || sum != n*(n-1)/2 {
			t.Errorf("the file has %v", f)
		}
		f.Close()
	}
}
