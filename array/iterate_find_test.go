package array

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestFind tests that Find yields the indices that AppendRows takes.
func TestFind(t *testing.T) {
	oracle.CountsAllocations(t)
	r := oracle.Rand(t, 35)
	keep := func(x float64) bool { return x >= 60 }
	for range oracle.Cases(t, 100) {
		v := randomView(r, 12)
		if v.NDim() != 1 {
			if v.Size() == 0 {
				continue
			}
			clone := must(v.Clone(index.C))
			v = must(clone.Ravel())
		}
		var want []int
		var elements []float64
		k := 0
		for idx := range index.All(v.Shape(), index.C) {
			if x := v.At(idx...); keep(x) {
				want = append(want, k)
				elements = append(elements, x)
			}
			k++
		}
		got := slices.Collect(v.Find(keep))
		if !slices.Equal(got, want) {
			t.Fatalf("%v: %v, want %v", v.Layout(), got, want)
		}
		if got := must(v.AppendRows(nil, got)); !slices.Equal(got, elements) {
			t.Fatalf("%v: AppendRows has %v, want %v", v.Layout(), got, elements)
		}
		for i := range v.Find(keep) { // a loop may end early and start again
			if i != want[0] {
				t.Fatalf("%v: the first index is %d, want %d", v.Layout(), i, want[0])
			}
			break
		}
	}
	v := must(FromSlice([]float64{1, math.NaN(), 3}))
	if got := slices.Collect(v.Find(func(x float64) bool { return x != x })); !reflect.DeepEqual(got, []int{1}) {
		t.Errorf("%v", got)
	}
	n := 0
	if got := testing.AllocsPerRun(10, func() {
		for range v.Find(keep) {
			n++
		}
	}); got != 0 {
		t.Errorf("Find: %v allocations, want 0", got)
	}
	wantPanic(t, nd.UnsetError().Error(), nil, func() {
		for range (View[int]{}).Find(nil) {
		}
	})
}

// TestFindDimensions tests that Find refuses views that are not one-dimensional. A position in a table of shape (20, 2)
// is not a row index: position 3 lies in row 1, but AppendRows would take row 3.
func TestFindDimensions(t *testing.T) {
	for _, shape := range [][]int{{}, {20, 2}, {4, 5}, {0, 3}, {1, 1}} {
		n := 1
		for _, m := range shape {
			n *= m
		}
		v := must(must(FromSlice(make([]int32, n))).Reshape(shape...))
		keep := func(int32) bool { return true }
		want := fmt.Sprintf("array: Find: shape mismatch: %d dimensions, want 1; use Ravel", len(shape))
		wantPanic(t, want, ErrShape, func() { v.Find(keep) })
		flat := must(v.Ravel())
		if got := must(flat.AppendRows(nil, slices.Collect(flat.Find(keep)))); len(got) != n {
			t.Errorf("%v: AppendRows has %d elements, want %d", shape, len(got), n)
		}
	}
}
