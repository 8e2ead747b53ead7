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

// What OpenOrCreate opens, and what it makes of nothing.
func TestOpenOrCreate(t *testing.T) {
	rows := sequence("<f8", index.C, 1, 2, 3)
	columns := sequence("<f8", index.F, 1, 3, 2)
	for _, tt := range []struct {
		name  string
		there Array // zero for no file
		d     string
		order index.Order
		shape []int
		want  []int // the shape, nil for an error
		err   string
		is    error
	}{
		{name: "new", d: "<f8", shape: []int{0, 3}, want: []int{0, 3}},
		{name: "new, some rows", d: "<f8", shape: []int{5, 3}, want: []int{5, 3}},
		{name: "new, no dimensions", d: "<f8", want: []int{}},
		{name: "there", there: rows, d: "<f8", shape: []int{0, 3}, want: []int{2, 3}},
		{name: "there, the other byte order", there: rows, d: ">f8", shape: []int{0, 3}, want: []int{2, 3}},
		{name: "there, shorter than what would be made", there: rows, d: "<f8", shape: []int{9, 3}, want: []int{2, 3}},
		{name: "there, one dimension, either order", there: sequence("<f8", index.C, 1, 7), d: "<f8", order: index.F,
			shape: []int{0}, want: []int{7}},
		{name: "new in F order", d: "<f8", order: index.F, shape: []int{3, 2}, want: []int{3, 2}},
		{name: "there in F order", there: columns, d: "<f8", order: index.F, shape: []int{3, 0}, want: []int{3, 2}},

		{name: "another dtype", there: rows, d: "<f4", shape: []int{0, 3}, is: ErrDType,
			err: "the file has other elements: have dtype <f8, want <f4"},
		{name: "another order", there: rows, d: "<f8", order: index.F, shape: []int{2, 3}, is: ErrShape,
			err: "shape mismatch: the file is in C order, want F"},
		{name: "other rows", there: rows, d: "<f8", shape: []int{0, 4}, is: ErrShape,
			err: "shape mismatch: the file has shape (2, 3), want (0, 4); only the length of axis 0 may differ"},
		{name: "other columns", there: columns, d: "<f8", order: index.F, shape: []int{4, 0}, is: ErrShape,
			err: "shape mismatch: the file has shape (3, 2), want (4, 0); only the length of axis 1 may differ"},
		{name: "other dimensions", there: rows, d: "<f8", shape: []int{0}, is: ErrShape,
			err: "shape mismatch: the file has shape (2, 3), want (0,)"},
		{name: "no columns to grow in F order", d: "<f8", order: index.F, shape: []int{3, 0}, is: ErrShape},
		{name: "no shape", d: "<f8", shape: []int{-1}, is: ErrShape},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := temp(t)
			if !tt.there.IsZero() {
				if err := Save(path, tt.there); err != nil {
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
			if got := names(t, filepath.Dir(path)); len(got) > 1 {
				t.Errorf("%s: there is %q", tt.name, got)
			}
		})
	}
}

// OpenOrCreate maps an old file and a new one as the mode says.
func TestOpenOrCreateMode(t *testing.T) {
	for _, mode := range []Mode{ReadOnly, ReadWrite, CopyOnWrite} {
		for _, lock := range []bool{false, true} {
			path := temp(t)
			for range 2 {
				f := must(OpenConfig{Mode: mode, Lock: lock}.OpenOrCreate(path, dtype.Int8, index.C, 3))
				if f.Map().Mode() != mode || f.ReadOnly() != (mode == ReadOnly) || fmt.Sprint(f) != "[0 0 0]" {
					t.Errorf("%v: it is mapped %v: %v", mode, f.Map().Mode(), f)
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

// What is wrong with the path is an error, and makes nothing; a link to no file gets one.
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
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("there is %q", got)
	}
	if runtime.GOOS == "windows" || os.Symlink("file.npy", in("link")) != nil {
		t.Skip("no links here")
	}
	f := must(OpenOrCreate(in("link"), dtype.Int8, index.C, 0))
	defer f.Close()
	if _, err := os.Stat(in("file.npy")); err != nil || f.Path() != in("link") || f.Append(counted8(3)) != nil {
		t.Errorf("%s: %v", f.Path(), err)
	}
}

func counted8(n int) Array { return must(FromBytes(make([]byte, n), dtype.Int8, index.C, n)) }

// Of several that start at once, one makes the file, and all have it: nothing is lost that they append.
func TestOpenOrCreateRace(t *testing.T) {
	for range oracle.Cases(t, 10) {
		path := temp(t)
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
			if runtime.GOOS == "windows" { // maps no file while another process makes it longer
				start()
			} else {
				wg.Go(start)
			}
		}
		wg.Wait()
		f := must(Open(path, ReadOnly))
		sum := Sum[int64](must(As[int64](f.Array)))
		if f.Len(0) != n || sum != n*(n-1)/2 {
			t.Errorf("there is %v", f)
		}
		f.Close()
	}
}
