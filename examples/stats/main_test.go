package main

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func save[T any](t *testing.T, x []T, shape ...int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.npy")
	v, err := array.FromSlice(x, shape...)
	if err == nil {
		v, err = v.Reshape(shape...) // Reshape handles an empty shape, which FromSlice does not
	}
	if err == nil {
		err = array.Save(path, v.Array())
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestStats tests that NaN is counted and ignored, and that integers are exact.
func TestStats(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct{ path, want string }{
		{save(t, []float64{1, nan, nan, 3, 2.5, nan}, 2, 3), `
nan   [0 1 2]
min   [1.  2.5 nan]
max   [3.  2.5 nan]
mean  [2.  2.5 nan]
std   [ 1.  0. nan]
`},
		{save(t, []int64{1<<62 + 1, -1 << 62}, 2), `
nan   0
min   -4611686018427387904
max   4611686018427387905
mean  0.5
std   4.611686018427388e+18
`},
	} {
		if got, err := stats(tt.path); err != nil || got != strings.TrimPrefix(tt.want, "\n") {
			t.Errorf("got\n%s%v, want%s", got, err, tt.want)
		}
	}
}

// TestNone tests that the minimum of no numbers is an error, and that errors name the file once.
func TestNone(t *testing.T) {
	path := save(t, []int32{}, 0, 3)
	for path, want := range map[string]string{
		path:                        "no elements",
		save(t, []complex64{1}, 1):  "complex",
		save(t, []float64{1}):       "axis 0",
		save(t, []bool{}, 0):        "no elements",
		filepath.Join(path, "none"): "",
	} {
		t.Run(path, func(t *testing.T) {
			if got, err := stats(path); err == nil || !strings.Contains(err.Error(), want) ||
				strings.Count(err.Error(), path) != 1 {
				t.Errorf("%s and %v, want an error with %q", got, err, want)
			}
		})
	}
}
