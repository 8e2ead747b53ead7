package array

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestVarianceOfFew tests the variance of at most DDof elements. NumPy divides by 0 in var. Its nanvar returns NaN for
// floats, and calls var for integers.
func TestVarianceOfFew(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		dtype string
		n     int // number of elements: 1, 2, …, n
		ddof  int
		want  [2]float64 // results without and with SkipNaN
	}{
		{"<i4", 2, 2, [2]float64{inf, inf}},
		{">u8", 2, 3, [2]float64{inf, inf}},
		{"<i8", 1, 1, [2]float64{nan, nan}},
		{"|u1", 2, 2, [2]float64{inf, inf}},
		{"|b1", 2, 2, [2]float64{nan, nan}},
		{"<f4", 2, 2, [2]float64{inf, nan}},
		{"<f8", 1, 1, [2]float64{nan, nan}},
		{"<c8", 2, 3, [2]float64{inf, nan}},
		{"<i4", 0, 0, [2]float64{nan, nan}},
	} {
		a := must(sequence(tt.dtype, index.C, 1, tt.n).Broadcast(3, tt.n))
		for _, op := range []Op{OpVar, OpStd} {
			for k, want := range tt.want {
				for _, axes := range [][]int{nil, {1}} {
					from := a
					if axes == nil {
						from = a.Index(0)
					}
					r := Reduction{Op: op, DDof: tt.ddof, SkipNaN: k == 1, Axes: axes}
					dst := must(New(dtype.Float64, index.C, must(r.Shape(from))...))
					if err := r.Into(dst.Array, from); err != nil {
						t.Fatal(err)
					}
					for got := range must(As[float64](dst.Array)).Values() {
						if got != want && (got == got || want == want) {
							t.Errorf("%v of %d %s less %d, SkipNaN %v, axes %v: %v, want %v", op, tt.n, tt.dtype, tt.ddof, k == 1, axes, got,
								want)
						}
					}
				}
			}
		}
	}
}

// TestComplexMeanInfinite tests complex means with infinite parts. NumPy divides the sum by a complex number, so that
// an infinite part makes the other part NaN.
func TestComplexMeanInfinite(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, tt := range []struct {
		in   []complex128
		want [2]complex128 // results of OpMean without and with SkipNaN
	}{
		{[]complex128{complex(inf, 0), 1}, [2]complex128{complex(inf, nan), complex(inf, nan)}},
		{[]complex128{complex(1, -inf), 2 + 3i}, [2]complex128{complex(nan, -inf), complex(nan, -inf)}},
		{[]complex128{complex(1, -inf), complex(inf, 3)}, [2]complex128{complex(nan, nan), complex(nan, nan)}},
		{[]complex128{complex(nan, 1), complex(1, inf)}, [2]complex128{complex(nan, nan), complex(nan, inf)}},
		{[]complex128{complex(1, nan), 2 + 2i}, [2]complex128{complex(nan, nan), 2 + 2i}},
		{[]complex128{complex(nan, nan)}, [2]complex128{complex(nan, nan), complex(nan, nan)}},
		{nil, [2]complex128{complex(nan, nan), complex(nan, nan)}},
	} {
		for k, want := range tt.want {
			a := must(must(FromSlice(tt.in)).Broadcast(2, len(tt.in))).Array()
			dst := make([]complex128, 2)
			if err := (Reduction{Op: OpMean, SkipNaN: k == 1, Axes: []int{1}}).Into(must(FromSlice(dst)).Array(),
				a); err != nil {
				t.Fatal(err)
			}
			for _, got := range dst {
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("the mean of %v, SkipNaN %v: %v, want %v", tt.in, k == 1, got, want)
				}
			}
		}
	}
}

// TestReductionWiderThanDType tests that a dst wider than the dtype of the result receives the full precision of the
// computation, and that a narrower dst is rounded once.
func TestReductionWiderThanDType(t *testing.T) {
	a := must(FromSlice([]float32{1 << 24, 1})).Array()
	r := Reduction{Op: OpSum}
	for _, tt := range []struct {
		dtype dtype.DType
		want  float64
	}{
		{dtype.Float32, 1 << 24},
		{dtype.Float64, 1<<24 + 1},
		{dtype.Int32, 1<<24 + 1},
	} {
		dst := must(New(tt.dtype, index.C))
		if err := r.Into(dst.Array, a); err != nil {
			t.Fatal(err)
		}
		if got := must(Cast[float64](dst.Array)).At(); got != tt.want {
			t.Errorf("to %v: %v, want %v", tt.dtype, got, tt.want)
		}
	}
}

// TestCompensated tests that rounding errors are added back at the end of a sum or variance. A sum whose parts cancel
// must be right, infinity must stay infinity, and a variance may suffer only from the rounding of its mean.
func TestCompensated(t *testing.T) {
	of := func(op Op, a Array) float64 {
		dst := must(New(dtype.Float64, index.C, must(Reduction{Op: op, Axes: []int{0}}.Shape(a))...))
		if err := (Reduction{Op: op, Axes: []int{0}}).Into(dst.Array, a); err != nil {
			t.Fatal(err)
		}
		return must(As[float64](dst.Array)).At(1)
	}
	const rows = 1 << 16
	v := must(FromSlice(make([]float64, rows*3), rows, 3))
	for row, x := range map[int]float64{0: 1, rows / 4: 1e100, rows / 2: 1, rows / 4 * 3: -1e100} {
		v.SetAt(x, row, 1)
	}
	if got := of(OpSum, v.Array()); got != 2 {
		t.Errorf("1 + 1e100 + 1 - 1e100 = %v, want 2", got)
	}
	v.SetAt(math.Inf(1), rows/2, 1)
	if got := of(OpSum, v.Array()); got != math.Inf(1) {
		t.Errorf("1 + 1e100 + Inf - 1e100 = %v, want Inf", got)
	}

	r := oracle.Rand(t, 81)
	worst := 0.0
	for range 500 {
		n := 2 + r.IntN(40)
		v := must(FromSlice(make([]float64, n*2), n, 2))
		sum, squares := new(big.Rat), new(big.Rat)
		for i := range n {
			x := float64(r.IntN(1000))
			v.SetAt(x, i, 1)
			q := new(big.Rat).SetFloat64(x)
			sum.Add(sum, q)
			squares.Add(squares, q.Mul(q, q))
		}
		c := big.NewRat(int64(n), 1)
		exact := squares.Sub(squares.Quo(squares, c), sum.Mul(sum.Quo(sum, c), sum))
		want, _ := exact.Float64()
		got := of(OpVar, v.Array())
		diff, _ := exact.Sub(exact, new(big.Rat).SetFloat64(got)).Float64()
		worst = max(worst, math.Abs(diff)/(math.Nextafter(want, math.Inf(1))-want))
	}
	if worst > 1.5 { // 2.7 without compensation
		t.Errorf("variances are up to %.2f ulp off", worst)
	}
}

// TestSettled tests minima and maxima of integers, and their positions, if an element equal to the least or greatest
// value of the dtype is found long before the end, for any order of the axes.
func TestSettled(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	r := oracle.Rand(t, 82)
	for _, d := range []string{"|b1", "|u1", ">i2"} {
		for range 12 {
			n := []int{1 + r.IntN(4), 1 + r.IntN(3), 1 + r.IntN(3) + 40_000*r.IntN(2)}
			r.Shuffle(3, func(i, j int) { n[i], n[j] = n[j], n[i] })
			a := must(New(dtype.MustParse(d), index.C, n...)).Array
			v := must(Cast[int64](a))
			ends := [2]int64{0, 1}
			switch d {
			case "|u1":
				ends[1] = 255
			case ">i2":
				ends = [2]int64{-1 << 15, 1<<15 - 1}
			}
			v.Fill(1)
			for range 1 + r.IntN(8) {
				v.SetAt(ends[r.IntN(2)], r.IntN(n[0]), r.IntN(n[1]), r.IntN(n[2]))
			}
			sel := make([]index.Selector, 3)
			for k := range sel {
				sel[k] = []index.Selector{index.Colon, index.Reverse()}[r.IntN(2)]
			}
			a = must(must(a.Select(sel...)).Transpose(r.Perm(3)...))
			v = must(Cast[int64](a))
			axes := [][]int{nil, {0}, {1}, {2}}[r.IntN(4)]
			isReduced := func(k int) bool { return axes == nil || slices.Contains(axes, k) }
			shape := must(Reduction{Op: OpMin, Axes: axes}.Shape(a))
			kept := make([]int, 0, 3)
			type best struct{ x, at int64 }
			want := map[Op][]best{}
			size := 1
			for _, k := range shape {
				size *= k
			}
			for _, op := range []Op{OpMin, OpMax, OpArgMin, OpArgMax} {
				want[op] = make([]best, size)
				seen := make([]int64, size)
				for idx, x := range v.All(index.C) {
					kept = kept[:0]
					for k, i := range idx {
						if !isReduced(k) {
							kept = append(kept, i)
						}
					}
					at := 0
					for k, i := range kept {
						at = at*shape[k] + i
					}
					b := &want[op][at]
					least := op == OpMin || op == OpArgMin
					if seen[at] == 0 || least && x < b.x || !least && x > b.x {
						*b = best{x, seen[at]}
					}
					seen[at]++
				}
				dst := must(New(dtype.Int64, index.C, shape...))
				if err := (Reduction{Op: op, Axes: axes}).Into(dst.Array, a); err != nil {
					t.Fatal(err)
				}
				i := 0
				for got := range must(As[int64](dst.Array)).Values() {
					b := want[op][i]
					if x := map[bool]int64{true: b.x, false: b.at}[op == OpMin || op == OpMax]; got != x {
						t.Fatalf("%v of %s %v, axes %v, result %d: %d, want %d", op, d, a.Layout(), axes, i, got, x)
					}
					i++
				}
			}
		}
	}
}
