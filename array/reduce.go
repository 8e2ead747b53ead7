package array

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/reduce"
)

// Real is the type constraint of Go's real numbers. Types that are defined from these are
// not among them.
type Real interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint | float32 | float64
}

// Ordered is the type constraint of what has a least and a greatest: real numbers, those of
// dtype.Half and the floats of models among them, and bool, which counts as 0 and 1.
type Ordered interface {
	Real | bool | dtype.Half | dtype.BF16 | dtype.F8E4M3FN | dtype.F8E5M2
}

// Number is the type constraint of real and complex numbers.
type Number interface {
	Ordered | complex64 | complex128
}

// Accumulator is the constraint of the types in which [Sum] adds up.
type Accumulator interface {
	int64 | uint64 | float64 | complex128
}

// Sum returns the sum of the elements of v, 0 if there are none, in the type A, to which the
// elements are converted first as [Copy] does:
//
//	n := array.Sum[int64](v)   // of integers; it wraps around in 64 bits
//	x := array.Sum[float64](v) // of floats, little is lost by rounding
//
// A has to be named: sums of small integers are larger than these. Sum panics if elements are
// complex and A is not.
//
// Sum, like the other reductions of all elements, divides a large view among GOMAXPROCS
// goroutines; the result is the same for any number of them. A page fault in one
// of them is a panic in the goroutine of the caller, where [mmap.Guard] turns it into an
// error. Along some axes only, and into another array, reduces a [Reduction].
func Sum[A Accumulator, T Number](v View[T]) (sum A) {
	switch p := any(&sum).(type) {
	case *float64:
		*p = reduce.As[float64](v.view.sum(dtype.Float64))
	case *int64:
		*p = reduce.As[int64](v.view.sum(dtype.Int64))
	case *uint64:
		*p = reduce.As[uint64](v.view.sum(dtype.Uint64))
	case *complex128:
		*p = reduce.As[complex128](v.view.sum(dtype.Complex128))
	}
	return sum
}

// sum returns the sum of the elements as numbers of dtype want: float64, int64, uint64 or complex128.
func (c view) sum(want dtype.DType) reduce.Number {
	have := c.mustBeSet().value.Kind()
	isComplex := want.Kind() == dtype.KindComplex
	switch {
	case have == dtype.KindComplex && !isComplex:
		panic(&usageError{fmt.Sprintf("%sthe sum of complex numbers is complex: want Sum[complex128]", prefix(c.el.mem.Path)), nil})
	case isComplex || want.Kind() == dtype.KindFloat:
		return c.whole(reduce.Job{Op: reduce.Total})
	case have == dtype.KindFloat || have >= dtype.KindBFloat16:
		c = must(c.mapParts(func(c view) (view, error) { return c.converted(want) }))
	}
	return c.whole(reduce.Job{Op: reduce.Sum})
}

// converted returns c with its Go values converted to numbers of dtype want.
func (c view) converted(want dtype.DType) (view, error) {
	with := *c.el
	first, second := c.el.load, elem.Codec{}
	second, err := elem.New(want, c.el.value)
	with.load, with.value, with.size, with.cast = elem.Chain(&first, &second), want, want.ItemSize(), true
	c.el = &with
	c.load = coded
	return c, err
}

// whole returns what a job makes of all elements of c, as numbers of the dtype of their Go values.
func (c view) whole(job reduce.Job) reduce.Number {
	el := c.mustBeSet()
	if c.load == direct {
		if x, ok := job.Small(el.value, c.piece()); ok {
			return x
		}
	}
	r := reducers.Get().(*reducer)
	defer r.free()
	r.job, r.have = job, el.value
	if err := r.whole(c); err != nil {
		panic(&usageError{err.Error(), err})
	}
	return r.number
}

// Mean returns the mean of the elements of v, computed in float64: NaN if there are
// none.
func Mean[T Ordered](v View[T]) float64 {
	return reduce.As[float64](v.view.whole(reduce.Job{Op: reduce.Mean}))
}

// Var returns the variance of the elements of v: the sum of the squares of what they differ
// from the mean, divided by their number less ddof. It is computed in one pass, and NaN or
// infinite if there are no more than ddof elements, as in NumPy.
func Var[T Ordered](v View[T], ddof int) float64 {
	return reduce.As[float64](v.view.whole(reduce.Job{Op: reduce.Var, DDof: ddof}))
}

// MinMax returns the least and the greatest element of v: as in NumPy both are NaN if
// one element is. It panics if v has no elements.
func MinMax[T Ordered](v View[T]) (lo, hi T) { return extremes[T](v.view, reduce.MinMax) }

// Min returns the least element of v, or panics; see [MinMax].
func Min[T Ordered](v View[T]) T { lo, _ := extremes[T](v.view, reduce.Min); return lo }

// Max returns the greatest element of v, or panics; see [MinMax].
func Max[T Ordered](v View[T]) T { hi, _ := extremes[T](v.view, reduce.Max); return hi }

// extremes returns what op makes of the elements of c, whose type is T: for Min and Max the first number.
func extremes[T Ordered](c view, op reduce.Op) (x, y T) {
	mustHaveElements(c)
	both := c.whole(reduce.Job{Op: op})
	switch p := any(&x).(type) {
	case *dtype.Half: // which was float32
		lo, hi := reduce.Both[float32](both)
		*p, *any(&y).(*dtype.Half) = dtype.HalfFrom32(lo), dtype.HalfFrom32(hi)
		return x, y
	case *dtype.BF16:
		lo, hi := reduce.Both[float32](both)
		*p, *any(&y).(*dtype.BF16) = dtype.BF16From32(lo), dtype.BF16From32(hi)
		return x, y
	case *dtype.F8E4M3FN:
		lo, hi := reduce.Both[float32](both)
		*p, *any(&y).(*dtype.F8E4M3FN) = dtype.F8E4M3FNFrom32(lo), dtype.F8E4M3FNFrom32(hi)
		return x, y
	case *dtype.F8E5M2:
		lo, hi := reduce.Both[float32](both)
		*p, *any(&y).(*dtype.F8E5M2) = dtype.F8E5M2From32(lo), dtype.F8E5M2From32(hi)
		return x, y
	}
	return reduce.Both[T](both)
}

func mustHaveElements(c view) {
	if c.Size() == 0 {
		panic("array: no elements, so none is least or greatest")
	}
}

// ArgMin returns the position in C order of the least element of v, the first of several, and
// that of the first NaN if there is one. index.Unravel has its indices. It panics if v has no
// elements.
func ArgMin[T Ordered](v View[T]) int {
	mustHaveElements(v.view)
	return int(reduce.As[int64](v.view.whole(reduce.Job{Op: reduce.ArgMin})))
}

// ArgMax returns the position in C order of the greatest element of v, as [ArgMin] does that of
// the least.
func ArgMax[T Ordered](v View[T]) int {
	mustHaveElements(v.view)
	return int(reduce.As[int64](v.view.whole(reduce.Job{Op: reduce.ArgMax})))
}

// CountNonzero returns how many elements of v are not zero. NaN is not.
func CountNonzero[T Number](v View[T]) int {
	return int(reduce.As[int64](v.view.whole(reduce.Job{Op: reduce.Count})))
}

// MomentsOf returns the [Moments] of the elements of v. NaN is counted and left out.
func MomentsOf[T Ordered](v View[T]) Moments {
	return reduce.As[Moments](v.view.whole(reduce.Job{Op: reduce.Moments}))
}
