//go:build cgo

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
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
	// C's matrix:
	// [[ 0.  1.  2.  3.]
	//  [ 4.  5.  6.  7.]
	//  [-1.  9. 10. 11.]]
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
		n, err := multiplyInC(path)
		if err != nil || n != len(tt.in) {
			t.Errorf("%d elements, %v; want %d", n, err, len(tt.in))
		}
		f, err := array.Open(path, array.ReadOnly)
		check(err)
		v, err = array.As[float64](f.Array)
		check(err)
		if got := slices.Collect(v.Values()); !slices.Equal(got, tt.want) {
			t.Errorf("got %v, want %v", got, tt.want)
		}
		f.Close()
	}
}

// TestLarge tests that C handles more than 2³¹ elements. With a C int as length, C would multiply 0 of 2³¹
// elements, and 5 of 2³² + 5. The test truncates the sparse file once its first element has been multiplied, and
// expects an error.
func TestLarge(t *testing.T) {
	if strconv.IntSize == 32 || runtime.GOOS != "linux" {
		t.Skip("needs sparse files of 16 GiB that can be cut while they are mapped")
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	f, err := array.SaveConfig{Sparse: true}.Create(path, dtype.Float64, index.C, 1<<31)
	check(err)
	v, err := array.As[float64](f.Array)
	check(err)
	v.SetAt(1, 0)
	check(f.Close())
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := multiplyInC(path)
		done <- result{n, err}
	}()
	head := make([]byte, 128+8)
	for {
		r, err := os.Open(path)
		check(err)
		_, err = io.ReadFull(r, head)
		check(err)
		check(r.Close())
		if x := math.Float64frombits(binary.NativeEndian.Uint64(head[128:])); x == 10 {
			break
		} else if len(done) > 0 {
			t.Fatalf("C has multiplied %v elements, the first is %v", <-done, x)
		}
	}
	check(os.Truncate(path, 128+8))
	var fault *mmap.FaultError
	if r := <-done; !errors.As(r.err, &fault) {
		t.Errorf("cut while C works on it: %v, want a page fault", r.err)
	}
}

// TestLayouts tests all layouts and byte orders.
func TestLayouts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	v, err := array.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3)
	check(err)
	for _, order := range []index.Order{index.C, index.F} {
		for _, d := range []dtype.DType{dtype.Float64.WithByteOrder(dtype.BigEndian),
			dtype.Float64.WithByteOrder(dtype.LittleEndian)} {
			check(array.SaveConfig{Replace: true}.Convert(path, v.Array(), d, order))
			if _, err := multiplyInC(path); err != nil {
				t.Error(err)
			}
			f, err := array.Open(path, array.ReadOnly)
			check(err)
			if got, want := fmt.Sprint(f), "[[10. 20. 30.]\n [40. 50. 60.]]"; got != want {
				t.Errorf("%v in order %v: %s", d, order, got)
			}
			f.Close()
		}
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
