package array

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// modelTypes are the float dtypes of machine learning models, in both byte orders.
var modelTypes = []dtype.DType{dtype.MustParse("<bfloat16"), dtype.MustParse(">bfloat16"), dtype.Float8E4M3FN,
	dtype.Float8E5M2}

// randomModel returns an array of random elements of d, including NaN and infinities if special is set.
func randomModel(t *testing.T, seed uint64, d dtype.DType, special bool, shape ...int) Array {
	r := oracle.Rand(t, seed)
	a := must(New(d, []index.Order{index.C, index.F}[r.IntN(2)], shape...)).Array
	for x := range must(Cast[float32](a)).Update(index.K) {
		for i := range x {
			x[i] = float32(r.NormFloat64()) * 8
			if special && r.IntN(20) == 0 {
				x[i] = []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0}[r.IntN(4)]
			}
		}
	}
	return a
}

// TestModelReductions tests that the float types of models are reduced as float32 and the results converted back.
func TestModelReductions(t *testing.T) {
	for k, d := range modelTypes {
		for _, special := range []bool{false, true} {
			a := randomModel(t, uint64(k), d, special, 40, 50)
			wide := must(New(dtype.Float32, index.C, 40, 50)).Array
			must(0, Copy(wide, a))
			for _, op := range []Op{OpSum, OpMean, OpVar, OpStd, OpMin, OpMax, OpArgMin, OpArgMax, OpCount} {
				for _, axes := range [][]int{nil, {0}, {1}} {
					if axes == nil && (op == OpArgMin || op == OpArgMax) {
						continue
					}
					for _, skip := range []bool{false, true} {
						reduction := Reduction{Op: op, Axes: axes, SkipNaN: skip}
						results := [2]Array{}
						for i, src := range []Array{a, wide} {
							to := must(reduction.DType(src))
							if i == 0 && to.Kind() != d.Kind() && op != OpArgMin && op != OpArgMax && op != OpCount {
								t.Fatalf("%v of %v is %v", op, d, to)
							}
							shape := []int{50, 40}[min(len(axes)*slices.Max(append([]int{0}, axes...)), 1):][:len(axes)]
							results[i] = must(New(to, index.C, shape...)).Array
							must(0, reduction.Into(results[i], src))
						}
						if to := results[0].DType(); to.Kind() == d.Kind() {
							rounded := must(New(to, index.C, results[1].Shape()...)).Array
							must(0, Copy(rounded, results[1])) // rounds float32 a second time
							x, y := must(Cast[float64](results[0])), must(Cast[float64](rounded))
							for idx, x := range x.All(index.C) {
								y := y.At(idx...)
								near := math.Abs(x-y) <= math.Abs(x)/4 && (op == OpSum || op == OpMean || op == OpVar || op == OpStd)
								if x != y && !(x != x && y != y) && !near {
									t.Fatalf("%v of %v along %v, SkipNaN %v: %v, want %v", op, d, axes, skip, x, y)
								}
							}
						} else if got, want := fmt.Sprint(results[0]), fmt.Sprint(results[1]); got != want {
							t.Fatalf("%v of %v along %v: %s, want %s", op, d, axes, got, want)
						}
					}
				}
			}
			if got, want := Sum[float64](must(Cast[float32](a))), Sum[float64](must(As[float32](wide))); got != want &&
				got == got {
				t.Errorf("the sum of %v is %v, want %v", d, got, want)
			}
		}
	}
}

// TestModelViews tests views of the Go types of these dtypes.
func TestModelViews(t *testing.T) {
	a := must(FromSlice([]dtype.BF16{0x3F80, 0xC000, 0x4040, 0x0000})) // 1, -2, 3, 0
	if lo, hi := MinMax(a); lo != 0xC000 || hi != 0x4040 {
		t.Errorf("MinMax is %#x, %#x", lo, hi)
	}
	if s, i, n := Sum[float64](a), Sum[int64](a), CountNonzero(a); s != 2 || i != 2 || n != 3 {
		t.Errorf("the sum is %v and %v, and %d are not 0", s, i, n)
	}
	if m, at := Mean(a), ArgMax(a); m != 0.5 || at != 2 {
		t.Errorf("the mean is %v, and element %d is the maximum", m, at)
	}
	b := must(FromSlice([]dtype.F8E4M3FN{0x38, 0xC0, 0x7E})) // 1, -2, 448
	if lo, hi := MinMax(b); lo != 0xC0 || hi != 0x7E {
		t.Errorf("MinMax is %#x, %#x", lo, hi)
	}
	c := must(FromSlice([]dtype.F8E5M2{0x3C, 0xC0, 0x7B})) // 1, -2, 57344
	if lo, hi := MinMax(c); lo != 0xC0 || hi != 0x7B {
		t.Errorf("MinMax is %#x, %#x", lo, hi)
	}
	for _, tt := range []struct {
		a    Array
		want string
	}{
		{a.Array(), "[ 1. -2.  3.  0.]"},
		{b.Array(), "[  1.  -2. 448.]"},
		{c.Array(), "[ 1.e+00 -2.e+00  6.e+04]"},
		{must(FromSlice([]dtype.BF16{0x3DCD, 0x7F80, 0x7FC0})).Array(), "[0.1 inf nan]"},
	} {
		if got := fmt.Sprint(tt.a); got != tt.want {
			t.Errorf("%v is %q, want %q", tt.a.DType(), got, tt.want)
		}
	}
	if got := fmt.Sprintf("%.2f", a); got != "[1.00 -2.00 3.00 0.00]" {
		t.Errorf("%q", got)
	}
	_, err := As[float32](a.Array())
	if want := fmt.Sprintf("array: have dtype %v, want %v; Cast[float32] converts", dtype.BFloat16,
		dtype.Float32); fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	_, err = As[dtype.BF16](b.Array())
	if want := fmt.Sprintf("array: have dtype %v, want %v; Cast[dtype.BF16] converts", dtype.Float8E4M3FN,
		dtype.BFloat16); fmt.Sprint(err) != want {
		t.Errorf("%v, want %s", err, want)
	}
	// The header says '<V2'; Reinterpret restores the dtype.
	path := tempPath(t)
	must(0, Save(path, a.Array()))
	f := must(Open(path, 0))
	defer f.Close()
	if f.DType() != dtype.Void(2) {
		t.Errorf("the file opens as %v", f.DType())
	}
	again := must(f.Reinterpret(dtype.BFloat16))
	if got := fmt.Sprint(again); got != "[ 1. -2.  3.  0.]" {
		t.Error(got)
	}
}
