package array

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/reduce"
	"github.com/ndmap/ndmap/internal/strided"
)

// Real is the type constraint of numbers that have an order. A bool counts as 0 or 1. A type that is defined as one of
// these types, such as [dtype.Half], is a number, too.
type Real interface {
	~bool | ~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint |
		~float32 | ~float64
}

// Number is the type constraint of real and complex numbers.
type Number interface {
	Real | ~complex64 | ~complex128
}

// Accumulator is the type constraint of the results of [Sum].
type Accumulator interface {
	~int64 | ~uint64 | ~float64
}

// Sum returns the sum of the elements of v in the type A, which the call has to name, as in Sum[int64](v): the sum of
// small integers needs a larger type. Elements are converted to A first, as by [Copy]. Integers wrap around in 64 bits.
// The sum of no elements is 0. To cancel the work, use a [Reduction].
func Sum[A Accumulator, T Real](v View[T]) A {
	zero, one := A(0), A(1)
	switch {
	case one/2 != 0:
		return A(reduce.As[float64](reduceAll(v.view, reduce.Job{Op: reduce.Total, Convert: converter[T](8)})))
	case zero-1 < zero:
		return A(reduce.As[int64](integerSum(v.view, dtype.Int64)))
	}
	return A(reduce.As[uint64](integerSum(v.view, dtype.Uint64)))
}

// SumComplex returns the sum of the elements, or 0 if there are none.
func SumComplex[T Number](v View[T]) complex128 {
	return reduce.As[complex128](reduceAll(v.view, reduce.Job{Op: reduce.Total, Convert: elem.New}))
}

// integerSum returns the sum of the elements of c, which are real, as a number of dtype want: int64 or uint64.
func integerSum(c nd.View, want dtype.DType) reduce.Number {
	if elem.IsFloat(c.MustBeSet().Value) {
		c = nd.Must(c.Converted(want))
	}
	return reduceAll(c, reduce.Job{Op: reduce.Sum, Convert: elem.New})
}

// converter returns elem.New for types of fewer than size bytes, which are converted before they are reduced, and nil
// for larger types. A program that reduces only larger types then links no conversions.
func converter[T any](size int) func(want, have dtype.DType) (elem.Codec, error) {
	if strided.Sizeof[T]() < size {
		return elem.New
	}
	return nil
}

// reduceAll returns the result of a job for all elements of c, as numbers of the dtype of their Go values.
func reduceAll(c nd.View, job reduce.Job) reduce.Number {
	el := c.MustBeSet()
	if c.Read == nd.InPlace {
		if a, ok := c.Plain(); ok {
			if x, ok := job.Small(el.Value, a.Piece); ok {
				return x
			}
		}
	}
	r := reducers.Get().(*reducer)
	defer r.free()
	r.job, r.have = job, el.Value
	if err := r.reduceToNumber(c); err != nil {
		panic(nd.Misuse(err.Error(), err))
	}
	return r.number
}

// Mean returns the mean of the elements of v, or NaN if v has no elements. Integers are summed up exactly.
func Mean[T Real](v View[T]) float64 {
	return reduce.As[float64](reduceAll(v.view, reduce.Job{Op: reduce.Mean, Convert: converter[T](8)}))
}

// Var returns the variance of the elements of v, in one pass. It divides by the number of elements minus ddof. If there
// are ddof elements or fewer, the result is NaN or infinite.
func Var[T Real](v View[T], ddof int) float64 {
	return reduce.As[float64](reduceAll(v.view, reduce.Job{Op: reduce.Var, DDof: ddof, Convert: elem.New}))
}

// MinMax returns the least and the greatest element of v, or NaN if an element is NaN. It panics if v has no elements.
func MinMax[T Real](v View[T]) (lo, hi T) { return extremes[T](v.view, reduce.MinMax) }

// Min returns the least element of v; see [MinMax].
func Min[T Real](v View[T]) T { lo, _ := extremes[T](v.view, reduce.Min); return lo }

// Max returns the greatest element of v; see [MinMax].
func Max[T Real](v View[T]) T { hi, _ := extremes[T](v.view, reduce.Max); return hi }

// extremes returns the results of op for the elements of c, whose Go type is T. Min and Max have one result, x.
func extremes[T Real](c nd.View, op reduce.Op) (x, y T) {
	mustHaveElements(c)
	bounds := reduceAll(c, reduce.Job{Op: op, Convert: converter[T](4)})
	switch c.Store.Value { // the bounds of floats of up to 16 bits are float32
	case dtype.Float16:
		return bothOf32[T](bounds, dtype.HalfFrom32)
	case dtype.BFloat16:
		return bothOf32[T](bounds, dtype.BF16From32)
	case dtype.Float8E4M3FN:
		return bothOf32[T](bounds, dtype.F8E4M3FNFrom32)
	case dtype.Float8E5M2:
		return bothOf32[T](bounds, dtype.F8E5M2From32)
	}
	return reduce.Both[T](bounds)
}

// bothOf32 converts the two float32 in bounds by from. It returns them as values of T, which has the same bits as F.
func bothOf32[T any, F ~uint8 | ~uint16](bounds reduce.Number, from func(float32) F) (x, y T) {
	lo, hi := reduce.Both[float32](bounds)
	pair := [2]F{from(lo), from(hi)}
	return strided.Load[T](pointer(&pair[0]), 0), strided.Load[T](pointer(&pair[1]), 0)
}

// mustHaveElements panics if c has no elements, with a runtime.Error like an index out of range.
func mustHaveElements(c nd.View) {
	if c.Size() == 0 {
		panic(nd.Misuse(nd.Prefix(c.Store.Mem.Path)+"no elements, so no minimum or maximum; check Size first",
			ErrShape))
	}
}

// ArgMin returns the position in C order of the least element of v, the first one if there are several, or of the first
// NaN. [index.Unravel] returns the index along each axis. ArgMin panics if v has no elements.
func ArgMin[T Real](v View[T]) int {
	mustHaveElements(v.view)
	return int(reduce.As[int64](reduceAll(v.view, reduce.Job{Op: reduce.ArgMin, Convert: converter[T](4)})))
}

// ArgMax returns the position of the greatest element of v; see [ArgMin].
func ArgMax[T Real](v View[T]) int {
	mustHaveElements(v.view)
	return int(reduce.As[int64](reduceAll(v.view, reduce.Job{Op: reduce.ArgMax, Convert: converter[T](4)})))
}

// CountNonzero returns the number of elements that are not zero. NaN is not zero.
func CountNonzero[T Number](v View[T]) int {
	return int(reduce.As[int64](reduceAll(v.view, reduce.Job{Op: reduce.Count, Convert: elem.New})))
}

// MomentsOf returns the [Moments] of the elements of v, without NaN.
func MomentsOf[T Real](v View[T]) Moments {
	return reduce.As[Moments](reduceAll(v.view, reduce.Job{Op: reduce.Moments, Convert: elem.New}))
}

// An Op is the operation of a [Reduction], and works like the NumPy function of that name. The result has the dtype of
// the elements, unless the operation says otherwise. Booleans count as 0 and 1.
type Op uint8

// The operations.
const (
	OpSum      Op = iota // the sum; i8 for bool and signed integers, u8 for unsigned integers
	OpMean               // the mean; f8 for bool and integers
	OpVar                // the variance; the dtype of OpMean, but floats for complex numbers
	OpStd                // the standard deviation, the square root of the variance; its dtype
	OpMin                // the least element; -0 is less than 0 in floats
	OpMax                // the greatest element
	OpArgMin             // the position of the least element, the first of several; i8
	OpArgMax             // the position of the greatest element, the first of several; i8
	OpCount              // the number of elements that are not zero; i8
	OpMoments            // the [Moments] of the elements
	OpProd               // the product; the dtype of OpSum
	OpAny                // whether an element is not zero, or is NaN; bool; reads no further than that element
	OpAll                // whether no element is zero; bool
	OpMedian             // the middle element, or the mean of the two in the middle; the dtype of OpMean
	OpQuantile           // the quantiles Reduction.Qs, as [Quantile] computes them; f8
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

// ParseOp returns the operation with the name s, as [Op.String] returns it. Any other name is an error.
func ParseOp(s string) (Op, error) {
	if i := slices.Index(opNames[:], s); i >= 0 {
		return Op(i), nil
	}
	return 0, fmt.Errorf("array: unknown operation %.40q; want %s", s, strings.Join(opNames[:], ", "))
}

// Moments describe a set of numbers. Merge combines the Moments of two sets, which may come from different machines.
// [OpMoments] makes an array of Moments, which [As] returns as a View[Moments].
type Moments struct {
	Count int64   `npy:"count"` // the number of elements that are not NaN
	NaN   int64   `npy:"nan"`   // the number of NaN
	Min   float64 `npy:"min"`   // if Count is 0, Min and the fields below are 0
	Max   float64 `npy:"max"`
	Mean  float64 `npy:"mean"`
	M2    float64 `npy:"m2"` // the sum of the squares of the differences from the mean
}

var momentsType = nd.Must(dtype.Of[Moments]())

// Var returns the variance, M2 divided by Count - ddof, or NaN if Count - ddof is not positive.
func (m Moments) Var(ddof int) float64 {
	if n := m.Count - int64(ddof); n > 0 {
		return m.M2 / float64(n)
	}
	return math.NaN()
}

// Std returns the standard deviation, the square root of Var.
func (m Moments) Std(ddof int) float64 { return math.Sqrt(m.Var(ddof)) }

// Merge adds the numbers that n describes to m. Except for rounding, the order of several merges does not matter.
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
