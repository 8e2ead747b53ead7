package array

import (
	"math/rand/v2"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestReductionDecided tests reductions that ignore elements after a result is decided. The extremes of booleans and
// their positions must be the same as for uint16, for any density and direction. The extremes of complex numbers, which
// are skipped if their real part decides, must be the same as for float64.
func TestReductionDecided(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	r := oracle.Rand(t, 95)
	for _, shape := range [][]int{{40_003}, {5, 9_011}, {9_011, 5}, {200, 201}, {3, 40, 401}} {
		for _, density := range []float64{0, 1e-4, 0.5, 0.9999, 1} {
			mem := make([]byte, product(shape))
			x := make([]float64, len(mem))
			for i := range mem {
				if r.Float64() < density {
					mem[i], x[i] = 1+byte(r.IntN(2)*r.IntN(255)), 1 // any byte except 0 is true
				}
			}
			flags, err := FromBytes(mem, dtype.Bool, index.C, shape...)
			if err != nil {
				t.Fatal(err)
			}
			numbers, complexes := must(New(dtype.Uint16, index.C, shape...)), must(New(dtype.Complex128, index.C,
				shape...))
			if err := Copy(numbers.Array, flags); err != nil {
				t.Fatal(err)
			}
			for i := range x {
				x[i] += float64(r.IntN(1 + shape[0]))
			}
			real := must(FromSlice(x, shape...)).Array()
			if err := Copy(complexes.Array, real); err != nil {
				t.Fatal(err)
			}
			compareExtremes(t, r, flags, numbers.Array)
			compareExtremes(t, r, complexes.Array, real)
		}
	}
}

// compareExtremes compares the extremes of a and b, then reverses random axes, transposes both arrays, and compares
// again.
func compareExtremes(t *testing.T, r *rand.Rand, a, b Array) {
	t.Helper()
	for range 3 {
		for axis := -1; axis < a.NDim(); axis++ {
			for _, op := range []Op{OpMin, OpMax, OpArgMin, OpArgMax} {
				red := Reduction{Op: op, Axes: []int{axis}}
				if axis < 0 {
					red.Axes = nil
				}
				got, want := must(Cast[complex128](must(randomReduce(r, red, a)))), must(Cast[complex128](must(randomReduce(r,
					red, b))))
				for idx, x := range got.All(index.C) {
					if y := want.At(idx...); x != y {
						t.Fatalf("%v of %v %v along %d: %v at %v, want %v", op, a.DType(), a.Shape(), axis, x, idx, y)
					}
				}
			}
		}
		turned := make([]index.Selector, a.NDim())
		for k := range turned {
			turned[k] = among(r, index.Colon, index.Reverse())
		}
		a, b = must(a.Select(turned...)).T(), must(b.Select(turned...)).T()
	}
}
