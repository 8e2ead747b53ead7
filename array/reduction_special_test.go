package array

import (
	"errors"
	"math"
	"testing"

	"github.com/ndmap/ndmap/internal/reduce"
)

// TestBroadcastExtremes tests reductions along a broadcast axis, whose elements are all the same number in memory. It
// tests NaN that is skipped, and axes without elements.
func TestBroadcastExtremes(t *testing.T) {
	one := must(must(FromSlice([]float64{math.NaN()})).Broadcast(3)).Array()
	two := must(must(FromSlice([]float64{math.NaN(), 1})).Broadcast(2, 2)).Array()
	for _, op := range []Op{OpMin, OpMax} {
		if x := must(As[float64](must(Reduction{Op: op, SkipNaN: true}.Of(one)))).At(); x == x {
			t.Errorf("%v without NaN of three: %v", op, x)
		}
		x := must(As[float64](must(Reduction{Op: op, SkipNaN: true, Axes: []int{0}}.Of(two)))).Collect()
		if x[0] == x[0] || x[1] != 1 {
			t.Errorf("%v without NaN along 0: %v", op, x)
		}
	}
	for _, op := range []Op{OpArgMin, OpArgMax} {
		if _, err := (Reduction{Op: op, SkipNaN: true}).Of(one); !errors.Is(err, reduce.ErrAllNaN) {
			t.Errorf("%v without NaN: %v", op, err)
		}
		if x := must(As[int64](must(Reduction{Op: op, SkipNaN: true}.Of(two)))).At(); x != 1 {
			t.Errorf("%v without NaN: %v", op, x)
		}
	}
	for _, x := range []bool{false, true} {
		none := must(must(FromSlice([]bool{x})).Broadcast(0)).Array()
		rows := must(must(FromSlice([]bool{x, x})).Broadcast(0, 2)).Array()
		for op, want := range map[Op]bool{OpAny: false, OpAll: true} {
			got := must(As[bool](must(Reduction{Op: op}.Of(none)))).At()
			along := must(As[bool](must(Reduction{Op: op, Axes: []int{0}}.Of(rows)))).Collect()
			if got != want || along[0] != want || along[1] != want {
				t.Errorf("%v without elements, broadcast from %v: %v, along 0 %v", op, x, got, along)
			}
		}
	}
}

// TestMomentsOverflow tests numbers whose deviations and their sums overflow while the mean does not. An example is a
// first element that marks a missing number.
func TestMomentsOverflow(t *testing.T) {
	missing := make([]float64, 1024)
	for i := range missing {
		missing[i] = 1
	}
	missing[0] = -math.MaxFloat64
	first := make([]float64, 100)
	first[0] = 1e307
	for _, tt := range []struct {
		s    []float64
		mean float64
	}{
		{missing, -math.MaxFloat64 / 1024}, {first, 1e305}, {[]float64{-1e308, 1e308}, 0},
	} {
		v := must(FromSlice(tt.s))
		two := make([]float64, 0, 2*len(tt.s)) // two columns, each equal to s
		c := make([]complex128, len(tt.s))
		for i, x := range tt.s {
			two, c[i] = append(two, x, x), complex(x, 1)
		}
		columns := must(FromSlice(two, len(tt.s), 2)).Array()
		if x := Var(v, 0); !math.IsInf(x, 1) {
			t.Errorf("variance of %v ...: %v", tt.s[:2], x)
		}
		near := func(x float64) bool { return math.Abs(x-tt.mean) <= 1e-12*math.Abs(tt.mean) }
		for _, a := range []Array{v.Array(), columns, must(FromSlice(c)).Array()} {
			mean, std, err := Reduction{Axes: []int{0}}.MeanStd(a)
			if err != nil {
				t.Fatal(err)
			}
			for _, x := range must(Cast[complex128](mean)).Collect() {
				if !near(real(x)) {
					t.Errorf("mean of %v %v ...: %v, want %v", a.DType(), tt.s[:2], x, tt.mean)
				}
			}
			for _, x := range must(As[float64](std)).Collect() {
				if !math.IsInf(x, 1) {
					t.Errorf("std of %v %v ...: %v", a.DType(), tt.s[:2], x)
				}
			}
		}
		if m := MomentsOf(v); !near(m.Mean) || !math.IsInf(m.Var(0), 1) {
			t.Errorf("moments of %v ...: %+v, want mean %v", tt.s[:2], m, tt.mean)
		}
	}
	m := Moments{Count: 1, Min: -1e308, Max: -1e308, Mean: -1e308}
	m.Merge(Moments{Count: 3, Min: 1e308, Max: 1e308, Mean: 1e308})
	if math.Abs(m.Mean/5e307-1) > 1e-12 || !math.IsInf(m.M2, 1) {
		t.Errorf("merged: %+v", m)
	}
}
