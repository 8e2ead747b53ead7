package array

import (
	"fmt"
	"math"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/reduce"
	"github.com/ndmap/ndmap/internal/strided"
)

// Real is the type constraint of numbers with an order: bool counts as 0 and 1, and what is defined from a number is
// one, too, as [dtype.Half] is.
type Real interface {
	~bool | ~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint |
		~float32 | ~float64
}

// Number is the type constraint of real and complex numbers.
type Number interface {
	Real | ~complex64 | ~complex128
}

// Accumulator is the constraint of the types in which [Sum] adds up.
type Accumulator interface {
	~int64 | ~uint64 | ~float64
}

// Sum returns the sum of the elements of v in the type A, as in Sum[int64](v), which has to be named: sums of small
// integers are larger than these. Elements are converted to A first, as [Copy] does. Integers wrap around in 64 bits.
// A [Reduction] reports its progress and can be called off, for Sum and its like.
func Sum[A Accumulator, T Real](v View[T]) A {
	zero, one := A(0), A(1)
	switch {
	case one/2 != 0:
		return A(reduce.As[float64](totalOf(v.view, dtype.Float64)))
	case zero-1 < zero:
		return A(reduce.As[int64](totalOf(v.view, dtype.Int64)))
	}
	return A(reduce.As[uint64](totalOf(v.view, dtype.Uint64)))
}

// SumComplex returns the sum of the elements of v.
func SumComplex[T Number](v View[T]) complex128 {
	return reduce.As[complex128](reduceAll(v.view, reduce.Job{Op: reduce.Total}))
}

// sum returns the sum of the elements, which are real, as numbers of dtype want: float64, int64 or uint64.
func totalOf(c nd.View, want dtype.DType) reduce.Number {
	c.MustBeSet()
	switch {
	case want.Kind() == dtype.KindFloat:
		return reduceAll(c, reduce.Job{Op: reduce.Total})
	case elem.IsFloat(c.Store.Value):
		c = nd.Must(c.Retype(func(c nd.View) (nd.View, error) { return c.Converted(want) }))
	}
	return reduceAll(c, reduce.Job{Op: reduce.Sum})
}

// whole returns what a job makes of all elements of c, as numbers of the dtype of their Go values.
func reduceAll(c nd.View, job reduce.Job) reduce.Number {
	el := c.MustBeSet()
	if c.Read == nd.InPlace {
		if x, ok := job.Small(el.Value, c.Piece()); ok {
			return x
		}
	}
	r := reducers.Get().(*reducer)
	defer r.free()
	r.job, r.have = job, el.Value
	if err := r.whole(c); err != nil {
		panic(nd.Misuse(err.Error(), err))
	}
	return r.number
}

// Mean returns the mean of the elements of v, from an exact sum of integers.
func Mean[T Real](v View[T]) float64 {
	return reduce.As[float64](reduceAll(v.view, reduce.Job{Op: reduce.Mean}))
}

// Var returns the variance of the elements of v, with their number less ddof as divisor, in one pass: NaN or infinite
// if that is not positive.
func Var[T Real](v View[T], ddof int) float64 {
	return reduce.As[float64](reduceAll(v.view, reduce.Job{Op: reduce.Var, DDof: ddof}))
}

// MinMax returns the least and the greatest element of v: NaN if one is NaN.
func MinMax[T Real](v View[T]) (lo, hi T) { return extremes[T](v.view, reduce.MinMax) }

// Min returns the least element of v; see [MinMax].
func Min[T Real](v View[T]) T { lo, _ := extremes[T](v.view, reduce.Min); return lo }

// Max returns the greatest element of v; see [MinMax].
func Max[T Real](v View[T]) T { hi, _ := extremes[T](v.view, reduce.Max); return hi }

// extremes returns what op makes of the elements of c, whose Go type is T: for Min and Max the first number.
func extremes[T Real](c nd.View, op reduce.Op) (x, y T) {
	mustHaveElements(c)
	both := reduceAll(c, reduce.Job{Op: op})
	switch c.Store.Value { // of those with few bits the numbers are float32
	case dtype.Float16:
		return bothOf32[T](both, dtype.HalfFrom32)
	case dtype.BFloat16:
		return bothOf32[T](both, dtype.BF16From32)
	case dtype.Float8E4M3FN:
		return bothOf32[T](both, dtype.F8E4M3FNFrom32)
	case dtype.Float8E5M2:
		return bothOf32[T](both, dtype.F8E5M2From32)
	}
	return reduce.Both[T](both)
}

// bothOf32 returns two float32 as values of T, whose bits are those of an F.
func bothOf32[T any, F ~uint8 | ~uint16](both reduce.Number, from func(float32) F) (x, y T) {
	lo, hi := reduce.Both[float32](both)
	pair := [2]F{from(lo), from(hi)}
	return strided.Load[T](pointer(&pair[0]), 0), strided.Load[T](pointer(&pair[1]), 0)
}

// mustHaveElements panics as an index out of range does where c has no elements.
func mustHaveElements(c nd.View) {
	if c.Size() == 0 {
		panic(nd.Misuse(nd.Prefix(c.Store.Mem.Path)+"no elements, so none is least or greatest; look at Size before",
			ErrShape))
	}
}

// ArgMin returns the position in C order of the first least element of v, or of the first NaN. [index.Unravel] has
// its indices.
func ArgMin[T Real](v View[T]) int {
	mustHaveElements(v.view)
	return int(reduce.As[int64](reduceAll(v.view, reduce.Job{Op: reduce.ArgMin})))
}

// ArgMax returns the position of the greatest element of v; see [ArgMin].
func ArgMax[T Real](v View[T]) int {
	mustHaveElements(v.view)
	return int(reduce.As[int64](reduceAll(v.view, reduce.Job{Op: reduce.ArgMax})))
}

// CountNonzero returns how many elements of v are not zero. NaN is not.
func CountNonzero[T Number](v View[T]) int {
	return int(reduce.As[int64](reduceAll(v.view, reduce.Job{Op: reduce.Count})))
}

// MomentsOf returns the [Moments] of the elements of v, NaN left out.
func MomentsOf[T Real](v View[T]) Moments {
	return reduce.As[Moments](reduceAll(v.view, reduce.Job{Op: reduce.Moments}))
}

// Op says what a [Reduction] makes of the elements, as the function of NumPy does, and of which dtype, if not that of
// the elements. Booleans count as 0 and 1.
type Op uint8

// The operations.
const (
	OpSum      Op = iota // the sum, in i8 of bool and signed integers, u8 of unsigned ones
	OpMean               // the mean, in f8 of bool and integers
	OpVar                // the variance, as OpMean, and floats for complex numbers
	OpStd                // the standard deviation, the square root of the variance
	OpMin                // the least; of floats, -0 is less than 0
	OpMax                // the greatest
	OpArgMin             // the position of the least, the first of several, in i8
	OpArgMax             // the position of the greatest
	OpCount              // the number of elements that are not zero, in i8
	OpMoments            // their [Moments]
	OpProd               // the product, of the dtype of OpSum
	OpAny                // whether one is not zero, as NaN is not, in bool; it reads no further than the first
	OpAll                // whether none is zero
	OpMedian             // the middle one, or the mean of the two in the middle, of the dtype of OpMean
	OpQuantile           // the quantile of Reduction.Q, in f8, as [Quantile] has it
)

var opNames = [...]string{"sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "count", "moments", "prod",
	"any", "all", "median", "quantile"}

// String returns the name of the operation: "sum", "argmin", "count".
func (op Op) String() string {
	if int(op) < len(opNames) {
		return opNames[op]
	}
	return fmt.Sprintf("Op(%d)", uint8(op))
}

// Moments say what numbers are like. Those of parts combine by Merge, also where the parts are on different machines.
// [OpMoments] makes an array of them, a View[Moments] for [As]. The zero Moments are those of nothing, or NaN alone.
type Moments struct {
	Count int64   `npy:"count"` // of the numbers, NaN not among them
	NaN   int64   `npy:"nan"`   // how many there are of these
	Min   float64 `npy:"min"`   // 0, as all that follows, if Count is
	Max   float64 `npy:"max"`
	Mean  float64 `npy:"mean"`
	M2    float64 `npy:"m2"` // the sum of the squares of what the numbers differ from the mean
}

var momentsType = nd.Must(dtype.Of[Moments]())

// Var returns M2 divided by Count - ddof, and NaN if that is not positive.
func (m *Moments) Var(ddof int) float64 {
	if n := m.Count - int64(ddof); n > 0 {
		return m.M2 / float64(n)
	}
	return math.NaN()
}

// Std returns the standard deviation, the square root of Var.
func (m *Moments) Std(ddof int) float64 { return math.Sqrt(m.Var(ddof)) }

// Merge adds the numbers of n to those of m, in any order up to rounding.
func (m *Moments) Merge(n Moments) {
	nan := m.NaN + n.NaN
	switch {
	case n.Count == 0:
	case m.Count == 0:
		*m = n
	default:
		count := m.Count + n.Count
		d, share := n.Mean-m.Mean, float64(n.Count)/float64(count)
		if d-d != 0 { // infinite, or NaN
			m.M2 += n.M2 + reduce.SquareOf(m.Mean, n.Mean)
		} else {
			m.M2 += n.M2 + float64(float64(d*d)*(float64(m.Count)*share))
		}
		m.Mean = reduce.MeanOf(m.Mean, n.Mean, share)
		m.Count, m.Min, m.Max = count, min(m.Min, n.Min), max(m.Max, n.Max)
	}
	m.NaN = nan
}
