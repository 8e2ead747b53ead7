package summary

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/internal/oracle"
)

func noProgress(float64) error { return nil }

// slowRange computes a range by sorting the finite numbers.
func slowRange(s []float64, lo, hi float64) (want [4]float64) {
	f := slices.DeleteFunc(slices.Clone(s), func(x float64) bool { return x-x != 0 })
	slices.Sort(f)
	q := func(p float64) float64 {
		at := p / 100 * float64(len(f)-1)
		k := min(int(at), len(f)-1)
		t := at - float64(k)
		return f[k]*(1-t) + f[min(k+1, len(f)-1)]*t
	}
	return [4]float64{q(lo), q(hi), f[0], f[len(f)-1]}
}

// TestRangeOf compares ranges of random numbers with ranges computed from a sorted copy. The numbers are few or many,
// clustered, and may include NaN and infinities, so that both ways of finding a quantile are tested.
func TestRangeOf(t *testing.T) {
	r := oracle.Rand(t, 11)
	passes := 0
	for k := range oracle.Cases(t, 20) {
		n := 1 + r.IntN(3000)
		if k%6 == 0 {
			n = 300_000 // more than maxCollected
		}
		s := numbersLike(r, n, k%5)
		v, err := array.FromSlice(s)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(s, func(x float64) bool { return x-x == 0 }) {
			continue
		}
		lo, hi := 100*r.Float64()*r.Float64(), 100-100*r.Float64()*r.Float64()
		if lo > hi {
			lo, hi = hi, lo
		}
		got, err := RangeOf(context.Background(), pick.Array{Array: v.Array()}, pick.Reading{}, lo, hi,
			func(x float64) error {
				passes++
				return nil
			})
		if err != nil {
			t.Fatal(err)
		}
		if passes > 20 {
			t.Fatalf("case %d took %d passes", k, passes)
		}
		passes = 0
		want := slowRange(s, lo, hi)
		for i, x := range []*float64{got.Lo, got.Hi, got.Min, got.Max} {
			if x == nil || math.Abs(*x-want[i]) > 1e-12*math.Max(math.Abs(want[2]), math.Abs(want[3])) {
				t.Fatalf("case %d, %d numbers, percentiles %v and %v: got %v for number %d of %v", k, n, lo, hi, x, i, want)
			}
		}
	}
}

func numbersLike(r *rand.Rand, n, kind int) []float64 {
	s := make([]float64, n)
	for i := range s {
		switch kind {
		case 0:
			s[i] = r.NormFloat64()
		case 1:
			s[i] = math.Exp(40 * r.NormFloat64())
		case 2:
			s[i] = []float64{7, 7, 7, 7.25, -1e300, 1e300, math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(9)]
		case 3:
			s[i] = math.NaN()
			if r.IntN(3) == 0 {
				s[i] = 1e9 + r.NormFloat64()
			}
		case 4:
			s[i] = 0
			if r.IntN(n) == 0 {
				s[i] = r.NormFloat64()
			}
		}
	}
	return s
}

func TestRangeOfNothing(t *testing.T) {
	for _, s := range [][]float64{{math.NaN(), math.Inf(1)}, {}} {
		v, err := array.FromSlice(s)
		if err != nil {
			t.Fatal(err)
		}
		got, err := RangeOf(context.Background(), pick.Array{Array: v.Array()}, pick.Reading{}, 1, 99, noProgress)
		if err != nil || got.Lo != nil || got.Hi != nil || got.Min != nil || got.Max != nil {
			t.Errorf("RangeOf(%v) = %+v, %v, want nil pointers", s, got, err)
		}
	}
}

// TestRangeOfIntegers tests ranges of integers that float64 cannot represent.
func TestRangeOfIntegers(t *testing.T) {
	s := make([]uint64, 1001)
	for i := range s {
		s[i] = math.MaxUint64 - uint64(i)
	}
	v, err := array.FromSlice(s)
	if err != nil {
		t.Fatal(err)
	}
	base, err := pick.FindBase(t.Context(), pick.Array{Array: v.Array()})
	if err != nil || base != math.MaxUint64-500 {
		t.Fatalf("base %d, %v", base, err)
	}
	got, err := RangeOf(context.Background(), pick.Array{Array: v.Array()}, pick.Reading{Base: base}, 1, 99, noProgress)
	if err != nil || *got.Min != -500 || *got.Max != 500 || *got.Lo != -490 || *got.Hi != 490 {
		t.Errorf("got %+v, %v", got, err)
	}
	small, err := array.FromSlice([]int64{1 << 53, -5, 7})
	if err != nil {
		t.Fatal(err)
	}
	if base, err := pick.FindBase(t.Context(), pick.Array{Array: small.Array()}); base != 0 || err != nil {
		t.Errorf("for integers that float64 represents, the base is %d, %v, want 0", base, err)
	}
}

// TestOutsideOf compares the counts with the results of a simple loop.
func TestOutsideOf(t *testing.T) {
	r := oracle.Rand(t, 12)
	for k := range oracle.Cases(t, 20) {
		s := numbersLike(r, 1+r.IntN(5000), k%5)
		v, err := array.FromSlice(s)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := -r.Float64(), 7*r.Float64()
		want := Outside{Of: int64(len(s))}
		for _, x := range s {
			if math.IsNaN(x) {
				want.NaN++
			} else if x < lo {
				want.Below++
			} else if x > hi {
				want.Above++
			}
		}
		if got, err := OutsideOf(context.Background(), pick.Array{Array: v.Array()}, pick.Reading{}, lo, hi); got != want ||
			err != nil {
			t.Fatalf("case %d: got %+v, %v, want %+v", k, got, err, want)
		}
	}
}

// TestSample tests samples of arrays of many shapes. A sample must not be too large, must contain all elements if there
// are few, and must cover most of the array.
func TestSample(t *testing.T) {
	for _, shape := range [][]int{{}, {0, 3}, {5}, {1 << 20}, {128, 128}, {129, 128}, {3, 1 << 20}, {60, 300, 400}, {2, 2,
		2, 1 << 16}} {
		n := 1
		for _, k := range shape {
			n *= k
		}
		s := make([]int32, n)
		for i := range s {
			s[i] = int32(i)
		}
		v, err := array.FromSlice(s, shape...)
		if err != nil {
			t.Fatal(err)
		}
		few, all, err := Sample(context.Background(), pick.Array{Array: v.Array()})
		if err != nil {
			t.Fatal(err)
		}
		if all != (n <= sampleElements) || all && few.Size() != n || few.Size() > sampleElements || !all &&
			few.Size() < sampleElements/8 {
			t.Errorf("shape %v: %d of %d elements, all: %v", shape, few.Size(), n, all)
		}
		if all {
			continue
		}
		f, err := array.As[int32](few.Array)
		if err != nil {
			t.Fatal(err)
		}
		lo, hi := array.MinMax(f)
		if int(lo) > n/3 || int(hi) < n/2 {
			t.Errorf("shape %v: a sample of elements %d to %d", shape, lo, hi)
		}
		if few.Offset != 4*int(lo) {
			t.Errorf("shape %v: the sample begins with element %d, but its offset is %d", shape, lo, few.Offset)
		}
	}
}
