package array

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestCopyParts tests that copies that are divided among goroutines move every element to its place, in all layouts.
func TestCopyParts(t *testing.T) {
	seed := oracle.Seed(t)
	r := oracle.Rand(t, 0)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	shapes := [][]int{{2500, 1001}, {3, 800000}, {800000, 3}, {1 << 21}, {40, 300, 211}, {27, 9, 12, 900}}
	types := []dtype.DType{dtype.Float64, dtype.Float64.WithByteOrder(dtype.BigEndian), dtype.Int32,
		dtype.Int32.WithByteOrder(dtype.BigEndian)}
	for range oracle.Cases(t, 10) {
		shape := among(r, shapes...)
		runtime.GOMAXPROCS(1 + r.IntN(4))
		var files []*File
		layout := func() Array {
			a := must(New(among(r, types...), among(r, index.C, index.F), shape...))
			files = append(files, a)
			sel := make([]index.Selector, len(shape))
			for axis := range sel {
				if sel[axis] = index.Colon; r.IntN(4) == 0 {
					sel[axis] = index.Reverse()
				}
			}
			return must(a.Select(sel...))
		}
		dst, src := layout(), layout()
		if r.IntN(4) == 0 { // overlapping: one row apart in the same memory
			longer := slices.Clone(shape)
			longer[0]++
			both := must(New(dtype.Float64, index.C, longer...))
			files = append(files, both)
			dst, src = must(both.Select(index.From(1))), must(both.Select(index.Range(0, shape[0])))
		}
		fillWithPositions(src)
		if err := Copy(dst, src); err != nil {
			t.Fatal(err)
		}
		if at := firstMisplaced(dst); at >= 0 {
			t.Fatalf("NDMAP_SEED=%d: %v %v from %v %v: element %d is wrong", seed, dst.DType(), dst.Layout(), src.DType(),
				src.Layout(), at)
		}
		for _, f := range files {
			f.Close()
		}
	}
}

// fillWithPositions sets the elements of a to 0, 1, 2, … in C order.
func fillWithPositions(a Array) {
	k := 0
	if v, err := As[float64](a); err == nil {
		for idx := range index.All(a.Shape(), index.C) {
			v.SetAt(float64(k), idx...)
			k++
		}
		return
	}
	v := must(As[int32](a))
	for idx := range index.All(a.Shape(), index.C) {
		v.SetAt(int32(k), idx...)
		k++
	}
}

// firstMisplaced returns the index in C order of the first element that differs from what fillWithPositions stored,
// or -1.
func firstMisplaced(a Array) int {
	k := 0
	if v, err := As[float64](a); err == nil {
		for x := range v.Values() {
			if x != float64(k) {
				return k
			}
			k++
		}
		return -1
	}
	for x := range must(As[int32](a)).Values() {
		if int(x) != k {
			return k
		}
		k++
	}
	return -1
}

// TestCopyFault tests that a page fault in a goroutine of Copy reaches the caller's Guard, whether Copy reads or writes
// the page.
func TestCopyFault(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Float64, index.C, 2000, 2000))
	defer f.Close()
	other := must(New(dtype.Float64.WithByteOrder(dtype.BigEndian), index.F, 2000, 2000))
	defer other.Close()
	truncate(t, path, 1<<20)
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	for _, c := range []struct{ dst, src Array }{{other.Array, f.Array}, {f.Array, other.Array}, {other.T(), f.Array}} {
		var fault *mmap.FaultError
		if err := mmap.Guard(func() error { return Copy(c.dst, c.src) }); !errors.As(err, &fault) || fault.Path != path {
			t.Errorf("%v, want a fault in %s", err, path)
		}
	}
}
