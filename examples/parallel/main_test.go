package main

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestNormalize(t *testing.T) {
	if dtype.Native != dtype.LittleEndian {
		t.Skip("what it expects has the byte order of little-endian machines, as NumPy's is")
	}
	p := oracle.Start(t)
	for _, a := range []string{
		"np.random.RandomState(1).randint(0, 4000, (300, 400)).astype('>u2')",
		"np.asfortranarray(np.random.RandomState(2).normal(3, 7, (100, 30, 40)).astype('f4'))",
		"np.array([1.0, np.nan, 3.0])",
	} {
		in, err := p.Save(a, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out.npy")
		if err := normalize(t.Context(), in, out, false); err != nil {
			t.Fatal(err)
		}
		var same bool
		if err := p.Run(`a, got = np.load(x[0]).astype("f8"), np.load(x[1])
want = (a - np.nanmean(a)) / np.nanstd(a)
out = bool(got.dtype == "f4" and got.flags.f_contiguous == want.flags.f_contiguous and np.allclose(got, want, 1e-6, 1e-6, equal_nan=True))`, []string{in, out}, &same); err != nil || !same {
			t.Errorf("%s: not what NumPy makes of it, %v", a, err)
		}
	}
}

// save saves numbers in a new directory and returns the path.
func save[T any](t *testing.T, x ...T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in.npy")
	v, err := array.FromSlice(x)
	if err == nil {
		err = array.Save(path, v.Array())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFarFromZero tests numbers that are far from 0 and close to each other, whose squares would cancel completely.
func TestFarFromZero(t *testing.T) {
	r := oracle.Rand(t, 61)
	for _, far := range []float64{1e6, 1e8, 1.7e9, 1 << 53} {
		x := make([]float64, 20000)
		for i := range x {
			x[i] = far + float64(r.IntN(1000))*max(1, far/(1<<52))
		}
		in := save(t, x...)
		out := in + ".out"
		if err := normalize(t.Context(), in, out, true); err != nil {
			t.Fatal(err)
		}
		f, err := array.Open(out, array.ReadOnly)
		if err != nil {
			t.Fatal(err)
		}
		v, err := array.As[float32](f.Array)
		if err != nil {
			t.Fatal(err)
		}
		if m := array.MomentsOf(v); math.Abs(m.Mean) > 1e-6 || math.Abs(m.Std(0)-1) > 1e-6 {
			t.Errorf("at %g: the mean is %g, and the deviation %g; want 0 and 1", far, m.Mean, m.Std(0))
		}
		f.Close()
	}
}

// TestLeavesNothing tests that an error leaves no new file and keeps an existing one.
func TestLeavesNothing(t *testing.T) {
	ended, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	for _, tt := range []struct {
		name, in, want string
		ctx            context.Context
	}{
		{"interrupted", save(t, 1, 2.0), "interrupted", ended},
		{"one value", save(t, 7.0, 7, 7), "the standard deviation is 0; want a positive, finite one", t.Context()},
		{"none", save(t, math.NaN()), "the standard deviation is NaN; want a positive, finite one", t.Context()},
		{"infinite", save(t, 1, math.Inf(1)), "the standard deviation is NaN; want a positive, finite one", t.Context()},
		{"large", save[int64](t, 1, 1<<53+1), "integers with a magnitude of 2**53 or more are not exact as float64",
			t.Context()},
		{"there", save(t, 1, 2.0), "create OUT: file already exists", t.Context()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			out := filepath.Join(dir, "out.npy")
			var want []string
			if strings.Contains(tt.want, "exist") {
				if err := os.WriteFile(out, []byte("of another"), 0o666); err != nil {
					t.Fatal(err)
				}
				want = append(want, "out.npy")
			}
			err := normalize(tt.ctx, tt.in, out, false)
			if want != nil && !errors.Is(err, fs.ErrExist) || want == nil && (err == nil || err.Error() != tt.want) {
				t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
			}
			var left []string
			entries, err := os.ReadDir(dir)
			for _, e := range entries {
				left = append(left, e.Name())
			}
			if err != nil || strings.Join(left, " ") != strings.Join(want, " ") {
				t.Errorf("%s: %v is left, %v; want %v", tt.name, left, err, want)
			}
			if b, _ := os.ReadFile(out); want != nil && string(b) != "of another" {
				t.Errorf("%s: it was written to", tt.name)
			}
		})
	}
}
