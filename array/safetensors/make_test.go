package safetensors

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestMake tests that path is unchanged or names the complete new file, and that no temporary file remains, in every
// way in which the function passed to Make can end.
func TestMake(t *testing.T) {
	failed := errors.New("failed")
	dir, out := t.TempDir(), t.TempDir()
	in, path := filepath.Join(dir, "in.npy"), filepath.Join(out, "out.safetensors")
	list := []Tensor{{Name: "x", DType: dtype.Float64, Shape: []int{10_000}}}
	copyTo := func(f *File, src array.Array) error {
		dst, err := f.Array("x")
		if err == nil {
			err = array.Copy(dst, src)
		}
		return err
	}
	for _, tt := range []struct {
		name   string
		fill   func(w *File, src array.Array) error
		change func() error // changes the source before fill
		want   error
	}{
		{name: "nil"},
		{name: "an error", fill: func(*File, array.Array) error { return failed }, want: failed},
		{name: "a panic", fill: func(*File, array.Array) error { panic(failed) }, want: failed},
		{name: "Goexit", fill: func(*File, array.Array) error { runtime.Goexit(); return nil }, want: failed},
		{name: "Commit", fill: func(f *File, _ array.Array) error { return f.Commit() }, want: fs.ErrInvalid},
		{name: "Close", fill: func(f *File, _ array.Array) error { return f.Close() }, want: fs.ErrClosed},
		{name: "the source is truncated", change: func() error { return os.Truncate(in, 4096) }, want: mmap.ErrUnavailable},
		{name: "the source is cut within the last page", change: func() error { return os.Truncate(in, 80_120) },
			want: mmap.ErrChanged},
		{name: "the source is removed", change: func() error { return os.Remove(in) }, want: mmap.ErrReplaced},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.change != nil && (runtime.GOOS == "windows" || os.Getenv("NDMAP_QEMU") != "") {
				return // Windows does not allow changes of mapped files, and QEMU reports wrong addresses of faults, or none
			}
			for _, old := range []string{"", "an old file"} {
				os.Remove(path)
				if old != "" {
					check(t, os.WriteFile(path, []byte(old), 0o666))
				}
				check(t, array.SaveSlice(in, make([]float64, 10_000)))
				err := failed // remains if Make does not return
				var done sync.WaitGroup
				done.Go(func() {
					defer func() { recover() }()
					err = Make(path, list, nil, func(w *File) error {
						return array.Use(in, func(f *array.File) error {
							if now, _ := os.ReadFile(path); string(now) != old {
								t.Errorf("%s: while the function runs, path has %q, want the old content", tt.name, now)
							}
							if tt.change != nil {
								check(t, tt.change())
							}
							if tt.fill != nil {
								return errors.Join(copyTo(w, f.Array), tt.fill(w, f.Array))
							}
							return copyTo(w, f.Array)
						})
					})
				})
				done.Wait()
				if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
					t.Errorf("%s: %v", tt.name, err)
				}
				files := []string{"out.safetensors"}
				if now, _ := os.ReadFile(path); tt.want == nil {
					check(t, Use(path, func(f *File) error {
						a, err := f.Array("x")
						if err == nil && a.Size() != 10_000 {
							t.Errorf("%s: shape %v", tt.name, a.Shape())
						}
						return err
					}))
				} else if string(now) != old {
					t.Errorf("%s: path has changed: it has %d bytes", tt.name, len(now))
				} else if old == "" {
					files = nil
				}
				var got []string
				for _, e := range must(os.ReadDir(out)) {
					got = append(got, e.Name())
				}
				if !slices.Equal(got, files) {
					t.Errorf("%s: the folder has %q, want at most the file at path", tt.name, got)
				}
			}
		})
	}
	check(t, os.WriteFile(path, nil, 0o666))
	if err := (SaveConfig{}).Make(path, list, nil, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("without Replace: %v", err)
	}
	if err := (SaveConfig{}).Save(path, nil, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Save without Replace: %v", err)
	}
	if _, err := (SaveConfig{}).CreatePending(path, nil, nil); !errors.Is(err, fs.ErrExist) {
		t.Errorf("CreatePending without Replace: %v", err)
	}
}

// TestUse tests that Use accepts files that have just been written, and returns an error if a file changes while Use
// reads it.
func TestUse(t *testing.T) {
	oracle.AnyProcessor(t)
	path := temp(t)
	failed := errors.New("failed")
	for _, tt := range []struct {
		name string
		do   func() error
		want error
	}{
		{"nothing", func() error { return nil }, nil},
		{"its own error", func() error { return failed }, failed},
		{"cut, and put back", func() error { return errors.Join(os.Truncate(path, 72), os.Truncate(path, 80)) },
			mmap.ErrChanged},
		{"removed", func() error { return os.Remove(path) }, mmap.ErrReplaced},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tt.want != nil && tt.want != failed {
				t.Skip("Windows does not allow this change of a mapped file")
			}
			v := must(array.FromSlice([]float64{1, 2}))
			check(t, Save(path, map[string]array.Array{"x": v.Array()}, nil))
			sum := 0.0
			var kept *File
			err := Use(path, func(f *File) error {
				kept = f
				sum = array.Sum[float64](must(array.As[float64](must(f.Array("x")))))
				return tt.do()
			})
			if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) || sum != 3 {
				t.Errorf("%s: %v, %v", tt.name, sum, err)
			}
			if err := kept.Close(); !errors.Is(err, fs.ErrClosed) {
				t.Errorf("%s: after Use the file is still open: %v", tt.name, err)
			}
		})
	}
	called := false
	if err := Use(path+".none", func(*File) error { called = true; return nil }); !errors.Is(err, fs.ErrNotExist) ||
		called {
		t.Errorf("no file: %v, called: %v", err, called)
	}
}
