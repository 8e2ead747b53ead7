package main

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestScale tests that the program scales archives written by NumPy, stored and compressed, and that NumPy reads the
// copy.
func TestScale(t *testing.T) {
	if dtype.Native != dtype.LittleEndian {
		t.Skip("what it expects has the byte order of little-endian machines, as NumPy's is")
	}
	p := oracle.Start(t)
	for _, save := range []string{"savez", "savez_compressed"} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in.npz"), filepath.Join(dir, "out.npz")
		if err := p.Run("getattr(np, x[0])(x[1], a=np.arange(6, dtype='>f4').reshape(2, 3), b=np.array([b'text']), c=np.eye(2, dtype='i1', order='F'))", []string{save, in}, nil); err != nil {
			t.Fatal(err)
		}
		if err := scale(t.Context(), "a", 2.5, in, out, false); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := p.Eval("str([(n, a.dtype.str, a.tolist()) for n, a in np.load(x).items()])", out, &got); err != nil {
			t.Fatal(err)
		}
		want := "[('a', '>f4', [[0.0, 2.5, 5.0], [7.5, 10.0, 12.5]]), ('b', '|S4', [b'text']), ('c', '|i1', [[1, 0], [0, 1]])]"
		if got != want {
			t.Errorf("%s: got %s, want %s", save, got, want)
		}
		for name, want := range map[string]string{"z": in + `: no such member: "z" or "z.npy"`,
			"b": in + `: member "b": have dtype |S4, want f2, f4 or f8`,
			"c": in + `: member "c": have dtype |i1, want f2, f4 or f8`} {
			t.Run(name, func(t *testing.T) {
				none := filepath.Join(dir, "none.npz")
				if err := scale(t.Context(), name, 2, in, none, false); err == nil || err.Error() != want {
					t.Errorf("%s: %v, want %s", name, err, want)
				}
				if _, err := os.Stat(none); !os.IsNotExist(err) {
					t.Errorf("%s: %v", name, err)
				}
			})
		}
	}
}

// TestNoNumber tests that products that float64 or the dtype cannot hold are an error, and that an existing file is
// kept.
func TestNoNumber(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.npz"), filepath.Join(dir, "out.npz")
	arrays := map[string]array.Array{}
	add := func(name string, a array.Array, err error) {
		if err != nil {
			t.Fatal(err)
		}
		arrays[name] = a
	}
	i1, err := array.FromSlice([]int8{100})
	add("i1", i1.Array(), err)
	i8, err := array.FromSlice([]int64{1<<53 + 1})
	add("i8", i8.Array(), err)
	u8, err := array.FromSlice([]uint64{1<<63 + 5})
	add("u8", u8.Array(), err)
	f4, err := array.FromSlice([]float32{2e38, float32(math.Inf(1)), float32(math.NaN())})
	add("f4", f4.Array(), err)
	f8, err := array.FromSlice([]float64{1e308})
	add("f8", f8.Array(), err)
	if err := npz.Save(in, arrays); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"i1": "have dtype |i1, want f2, f4 or f8",
		"i8": "have dtype " + dtype.Int64.String() + ", want f2, f4 or f8",
		"u8": "have dtype " + dtype.Uint64.String() + ", want f2, f4 or f8",
		"f4": "2 times 1.9999999360571385e+38 does not fit dtype " + dtype.Float32.String(),
		"f8": "2 times 1e+308 does not fit dtype " + dtype.Float64.String(),
	} {
		t.Run(name, func(t *testing.T) {
			want = in + ": member \"" + name + "\": " + want
			if err := scale(t.Context(), name, 2, in, out, false); err == nil || err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	}
	if err := scale(t.Context(), "f4", 0.5, in, in, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v, want %v", err, fs.ErrExist)
	}
	ended, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	cancel(interrupted)
	if err := scale(ended, "f4", 0.5, in, out, false); !errors.Is(err, interrupted) {
		t.Errorf("%v, want %v", err, interrupted)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
	if err := scale(t.Context(), "f4", 0.5, in, out, false); err != nil {
		t.Error(err)
	}
}

// TestCut tests that a page fault while members are read is an error.
func TestCut(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("files that are mapped cannot be cut, or faults have no addresses")
	}
	dir := t.TempDir()
	in := filepath.Join(dir, "in.npz")
	v, err := array.FromSlice(make([]float64, 1<<20))
	if err == nil {
		err = npz.Save(in, map[string]array.Array{"a": v.Array(), "b": v.Array()})
	}
	if err != nil {
		t.Fatal(err)
	}
	err = npz.Make(filepath.Join(dir, "out.npz"), func(w *npz.Writer) error {
		return npz.Use(in, func(a *npz.Archive) error {
			if err := os.Truncate(in, 9<<20); err != nil {
				return err
			}
			return scaleTo(w, a, "a", 2)
		})
	})
	var fault *mmap.FaultError
	if !errors.As(err, &fault) {
		t.Errorf("%v, want a page fault", err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
