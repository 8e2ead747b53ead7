package array

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// Where yields positions in C order, which Take takes.
func TestWhere(t *testing.T) {
	r := oracle.Rand(t, 35)
	keep := func(x float64) bool { return x >= 60 }
	for range oracle.Cases(t, 100) {
		v := randomView(r, 12)
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
		got := slices.Collect(v.Where(keep))
		if !slices.Equal(got, want) {
			t.Fatalf("%v: %v, want %v", v.Layout(), got, want)
		}
		if v.NDim() == 1 {
			if got := v.Take(nil, got); !slices.Equal(got, elements) {
				t.Fatalf("%v: Take has %v, want %v", v.Layout(), got, elements)
			}
		}
		for i := range v.Where(keep) { // a loop may end early, and be begun again
			if i != want[0] {
				t.Fatalf("%v: the first is %d, want %d", v.Layout(), i, want[0])
			}
			break
		}
	}
	v := must(FromSlice([]float64{1, math.NaN(), 3}))
	if got := slices.Collect(v.Where(func(x float64) bool { return x != x })); !reflect.DeepEqual(got, []int{1}) {
		t.Errorf("%v", got)
	}
	n := 0
	if got := testing.AllocsPerRun(10, func() {
		for range v.Where(keep) {
			n++
		}
	}); got != 0 {
		t.Errorf("Where: %v allocations", got)
	}
	wantPanic(t, unset().Error(), nil, func() {
		for range (View[int]{}).Where(nil) {
		}
	})
}
