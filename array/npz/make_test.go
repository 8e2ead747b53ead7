package npz

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
	"github.com/ndmap/ndmap/mmap"
)

// TestMake tests that path is unchanged or names the complete new file, and that no temporary file remains, in every
// way in which the function passed to Make can end.
func TestMake(t *testing.T) {
	failed := errors.New("failed")
	dir, out := t.TempDir(), t.TempDir()
	in, path := filepath.Join(dir, "in.npy"), filepath.Join(out, "out.npz")
	for _, tt := range []struct {
		name   string
		fill   func(w *Writer, src array.Array) error
		change func() error // changes the source before fill
		want   error
	}{
		{name: "nil"},
		{name: "an error", fill: func(*Writer, array.Array) error { return failed }, want: failed},
		{name: "a panic", fill: func(*Writer, array.Array) error { panic(failed) }, want: failed},
		{name: "Goexit", fill: func(*Writer, array.Array) error { runtime.Goexit(); return nil }, want: failed},
		{name: "Close", fill: func(w *Writer, _ array.Array) error { return w.Close() }, want: fs.ErrInvalid},
		{name: "Discard", fill: func(w *Writer, _ array.Array) error { w.Discard(); return nil }, want: fs.ErrClosed},
		{name: "a name twice", fill: func(w *Writer, a array.Array) error { return w.Add("x", a) }, want: fs.ErrExist},
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
					err = Make(path, func(w *Writer) error {
						return array.Use(in, func(f *array.File) error {
							if now, _ := os.ReadFile(path); string(now) != old {
								t.Errorf("%s: while the function runs, path has %q, want the old content", tt.name, now)
							}
							if tt.change != nil {
								check(t, tt.change())
							}
							if tt.fill != nil {
								return errors.Join(w.Add("x", f.Array), tt.fill(w, f.Array))
							}
							return w.Add("x", f.Array)
						})
					})
				})
				done.Wait()
				if !errors.Is(err, tt.want) || (err == nil) != (tt.want == nil) {
					t.Errorf("%s: %v", tt.name, err)
				}
				files := []string{"out.npz"}
				if now, _ := os.ReadFile(path); tt.want == nil {
					check(t, Use(path, func(f *Archive) error {
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
	if err := (SaveConfig{}).Make(path, func(*Writer) error { return nil }); !errors.Is(err, fs.ErrExist) {
		t.Errorf("without Replace: %v", err)
	}
}
