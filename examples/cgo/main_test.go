//go:build cgo

package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func Example() {
	dir, err := os.MkdirTemp("", "cgo")
	check(err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "t.npy")
	a, err := array.FromSlice([]float64{1, 2.5, -3, 0, 1e300, 6}, 2, 3)
	check(err)
	check(array.Save(path, a.Array()))
	os.Args = []string{"cgo", path}
	main()
	// Output:
	// column 0 of C's matrix: 0 4 -1
	// column 1 of C's matrix: 1 5 9
	// column 2 of C's matrix: 2 6 10
	// column 3 of C's matrix: 3 7 11
	// C multiplied 6 elements of the file by 10
}

func TestFileIsEdited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	for _, tt := range []struct{ in, want []float64 }{
		{[]float64{1, 1, 1, 1, 1}, []float64{10, 10, 10, 10, 10}},
		{[]float64{2.5, -3}, []float64{25, -30}},
		{[]float64{}, nil},
	} {
		v, err := array.FromSlice(tt.in)
		check(err)
		check(array.Save(path, v.Array()))
		toC(path)
		f, err := array.Open(path, mmap.ReadOnly)
		check(err)
		v, err = array.As[float64](f.Array)
		check(err)
		if got := slices.Collect(v.Values()); !slices.Equal(got, tt.want) {
			t.Errorf("got %v, want %v", got, tt.want)
		}
		f.Close()
	}
}

// This is to be read as documentation.
func TestShort(t *testing.T) {
	b, err := os.ReadFile("main.go")
	check(err)
	if n := strings.Count(string(b), "\n"); n >= 80 {
		t.Errorf("%d lines; want less than 80", n)
	}
}
