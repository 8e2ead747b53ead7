package array

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/mmap"
)

// runToEnd calls do in a goroutine. It returns the value that do panicked with, whether do returned, and its error.
func runToEnd(do func() error) (panicked any, returned bool, err error) {
	var done sync.WaitGroup
	done.Go(func() {
		defer func() { panicked = recover() }()
		err = do()
		returned = true
	})
	done.Wait()
	return panicked, returned, err
}

// TestMake tests every way in which the function passed to Make can end. Afterwards, the path must name the complete
// new file or be unchanged, and the folder must contain no other file.
func TestMake(t *testing.T) {
	defer func() { atomicfile.Unnamed = true }()
	failed := errors.New("failed")
	seven := writtenBytes(t, must(FromSlice(slices.Repeat([]int32{7}, 12))).Array())
	for _, tt := range []struct {
		name string
		cfg  SaveConfig
		fill func(f *File) error // called when all elements are 7
		want error
		kept bool // whether the path keeps the old file
	}{
		{name: "nil", fill: func(*File) error { return nil }},
		{name: "not synced", cfg: SaveConfig{NoSync: true, Sparse: true}, fill: func(*File) error { return nil }},
		{name: "an error", fill: func(*File) error { return failed }, want: failed, kept: true},
		{name: "a panic", fill: func(*File) error { panic(failed) }, kept: true},
		{name: "Goexit", fill: func(*File) error { runtime.Goexit(); return nil }, kept: true},
		{name: "Commit", fill: func(f *File) error { return f.Commit() }, want: fs.ErrInvalid, kept: true},
		{name: "Close", fill: func(f *File) error { return f.Close() }, want: fs.ErrClosed, kept: true},
		{name: "Close, not synced", cfg: SaveConfig{NoSync: true}, fill: func(f *File) error { return f.Close() },
			want: fs.ErrClosed, kept: true},
		{name: "Append", fill: func(f *File) error {
			return f.Append(must(FromSlice([]int32{7, 7})).Array())
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, old := range []string{"", "an old file"} {
				for _, unnamed := range []bool{true, false} {
					atomicfile.Unnamed = unnamed
					dir := t.TempDir()
					path := filepath.Join(dir, "a.npy")
					what := fmt.Sprintf("%s, old %t, unnamed %t", tt.name, old != "", unnamed)
					if old != "" {
						must(0, os.WriteFile(path, []byte(old), 0o666))
					}
					n := 12
					if tt.name == "Append" {
						n = 10
					}
					var kept *File
					tt.cfg.Replace = true
					panicked, returned, err := runToEnd(func() error {
						return tt.cfg.Make(path, dtype.Int32, index.C, []int{n}, func(f *File) error {
							kept = f
							must(As[int32](f.Array)).Fill(7)
							if now, _ := os.ReadFile(path); string(now) != old {
								t.Errorf("%s: the path has %q before Make returns", what, now)
							}
							return tt.fill(f)
						})
					})
					if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
						t.Errorf("%s: %v", what, err)
					}
					if (panicked != nil) != (tt.name == "a panic") || returned != (tt.name != "a panic" && tt.name != "Goexit") {
						t.Errorf("%s: panicked with %v, returned %v", what, panicked, returned)
					}
					if err := kept.view.CheckOpen(); !errors.Is(err, fs.ErrClosed) {
						t.Errorf("%s: the File is open after Make: %v", what, err)
					}
					want, files := string(seven), []string{"a.npy"}
					if tt.kept {
						if want = old; old == "" {
							files = nil
						}
					}
					if now, _ := os.ReadFile(path); string(now) != want {
						t.Errorf("%s: the path has %d bytes, want %d", what, len(now), len(want))
					}
					if got := fileNames(t, dir); !slices.Equal(got, files) {
						t.Errorf("%s: the folder has %q", what, got)
					}
				}
			}
		})
	}
}

// TestMakeReplace tests that Make replaces a file, even one created while its function runs, and that SaveConfig.Make
// does so only if Replace is set.
func TestMakeReplace(t *testing.T) {
	path := tempPath(t)
	put := func(*File) error { return os.WriteFile(path, []byte("other"), 0o666) }
	for _, tt := range []struct {
		name string
		make func(path string, d dtype.DType, order index.Order, shape []int, fill func(*File) error) error
		old  bool
		want error
	}{
		{"Make", Make, true, nil},
		{"Make, file created meanwhile", Make, false, nil},
		{"SaveConfig.Make", SaveConfig{}.Make, true, fs.ErrExist},
		{"SaveConfig.Make, file created meanwhile", SaveConfig{}.Make, false, fs.ErrExist},
		{"SaveConfig.Make, with Replace", SaveConfig{Replace: true}.Make, true, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			os.Remove(path)
			fill := put
			if tt.old {
				must(0, put(nil))
				fill = func(*File) error { return nil }
			}
			if err := tt.make(path, dtype.Int8, index.C, nil, fill); !errors.Is(err, tt.want) {
				t.Errorf("%s: %v", tt.name, err)
			}
			now := must(os.ReadFile(path))
			if (string(now) == "other") != (tt.want != nil) || len(fileNames(t, filepath.Dir(path))) != 1 {
				t.Errorf("%s: the folder has %q; the file has %d bytes", tt.name, fileNames(t, filepath.Dir(path)), len(now))
			}
		})
	}
	for _, tt := range []struct {
		err  error
		want error
	}{
		{Make(path, dtype.Int8, index.C, []int{-1}, put), ErrShape},
		{Make(path, dtype.Int8, index.K, []int{1}, put), ErrShape},
		{Make(path, dtype.DType{}, index.C, nil, put), ErrDType},
		{Make(filepath.Join(path, "below"), dtype.Int8, index.C, nil, put), fs.ErrNotExist},
	} {
		e, ok := errors.AsType[*fs.PathError](tt.err)
		if !ok || !errors.Is(tt.err, tt.want) && tt.want != fs.ErrNotExist {
			t.Errorf("%v, want %v, as %T", tt.err, tt.want, e)
		}
	}
}

// TestMakeUse tests that Make creates no file if its function calls Use, and the file that it reads changes.
func TestMakeUse(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	in, other, path := filepath.Join(dir, "in.npy"), filepath.Join(dir, "other.npy"), filepath.Join(out, "a.npy")
	const n = 10_000
	save := func(path string) { must(0, SaveSlice(path, slices.Repeat([]int32{7}, n))) }
	save(other)
	readAll := func(dst, src *File) error { return Copy(dst.Array, src.Array) }
	nestings := []struct {
		name string
		do   func(during func()) error
	}{
		{"Make(Use)", func(during func()) error {
			return Make(path, dtype.Int32, index.C, []int{n}, func(g *File) error {
				return Use(in, func(f *File) error { during(); return readAll(g, f) })
			})
		}},
		{"Make(UseAll)", func(during func()) error {
			return Make(path, dtype.Int32, index.C, []int{n}, func(g *File) error {
				return UseAll([]string{other, in}, func(a []Array) error { during(); return Copy(g.Array, a[1]) })
			})
		}},
	}
	for _, nesting := range nestings {
		t.Run(nesting.name, func(t *testing.T) {
			for _, tt := range []struct {
				name string
				do   func() error
				want error
			}{
				{name: "nothing", do: func() error { return nil }},
				{name: "truncated", do: func() error { return os.Truncate(in, 4096) }, want: mmap.ErrUnavailable},
				{name: "cut within the last page", do: func() error { return os.Truncate(in, n*4+128-4) }, want: mmap.ErrChanged},
				{name: "replaced", do: func() error { save(in); return nil }, want: mmap.ErrReplaced},
				{name: "removed", do: func() error { return os.Remove(in) }, want: mmap.ErrReplaced},
			} {
				if tt.want == mmap.ErrUnavailable && isEmulated() {
					continue // qemu-user reports no fault addresses that can be matched
				}
				os.Remove(path)
				save(in)
				var skip error
				panicked, _, err := runToEnd(func() error {
					return nesting.do(func() { skip = tt.do() })
				})
				if skip != nil || runtime.GOOS == "windows" && tt.name != "nothing" {
					continue // Windows does not allow this change of a mapped file
				}
				var files []string
				if tt.name == "nothing" {
					files = []string{"a.npy"}
				}
				if !errors.Is(err, tt.want) || (err == nil) != (files != nil) || panicked != nil {
					t.Errorf("%s, %s: %v, panicked with %v", nesting.name, tt.name, err, panicked)
				}
				if got := fileNames(t, out); !slices.Equal(got, files) {
					t.Errorf("%s, %s: the folder has %q", nesting.name, tt.name, got)
				}
			}
		})
	}
}

// TestPendingWrites tests that copies to a file are written by system calls until it is published, also after an Append
// and a Grow, and that they have the same bytes as the stores beside them.
func TestPendingWrites(t *testing.T) {
	src := countingView(index.C, 40, 1000)
	f := must(SaveConfig{NoSync: true}.CreatePending(tempPath(t), dtype.Float64, index.C, 40, 1000))
	defer f.Close()
	isWritten := func() bool { return f.view.Store.Mem.Write != nil }
	if !isWritten() {
		t.Error("copies to a new file go through its mapping")
	}
	must(As[float64](f.Array)).SetAt(7, 3, 5) // a page that is partly written afterwards
	if err := Copy(must(f.Select(index.Range(0, 3))), must(src.Array().Select(index.Range(0, 3)))); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(f.Append(src.Array()), f.Grow(2)); err != nil {
		t.Fatal(err)
	}
	if !isWritten() {
		t.Error("after an Append, copies go through the mapping")
	}
	if err := Copy(must(f.Select(index.Range(80, 82))), must(src.Array().Select(index.Range(38, 40)))); err != nil {
		t.Fatal(err)
	}
	v := must(As[float64](f.Array))
	for _, tt := range []struct {
		i, j int
		want float64
	}{{0, 1, src.At(0, 1)}, {2, 999, src.At(2, 999)}, {3, 5, 7}, {3, 6, 0}, {40, 3, src.At(0, 3)}, {81, 999, src.At(39,
		999)}} {
		if got := v.At(tt.i, tt.j); got != tt.want {
			t.Errorf("element %d, %d is %v, want %v", tt.i, tt.j, got, tt.want)
		}
	}
	if err := f.Commit(); err != nil || isWritten() {
		t.Errorf("Commit: %v, copies are still written by system calls: %v", err, isWritten())
	}
	if !bytes.Equal(must(os.ReadFile(f.Path())), writtenBytes(t, f.Array)) {
		t.Error("the file has other bytes than its array")
	}
}
