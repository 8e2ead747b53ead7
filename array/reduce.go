package array

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// Real is the type constraint of Go's real numbers. Types that are defined from these are
// not among them.
type Real interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint | float32 | float64
}

// Ordered is the type constraint of what has a least and a greatest: real numbers, those of
// dtype.Half among them, and bool, which counts as 0 and 1.
type Ordered interface {
	Real | bool | dtype.Half
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
func Sum[A Accumulator, T Number](v View[T]) A {
	switch any(*new(T)).(type) { // not of v: each View[X] here would compile all of its methods into the program of the caller
	case int8:
		return sumReal[A, int8](v.view)
	case int16:
		return sumReal[A, int16](v.view)
	case int32:
		return sumReal[A, int32](v.view)
	case int64:
		return sumReal[A, int64](v.view)
	case int:
		return sumReal[A, int](v.view)
	case uint8:
		return sumReal[A, uint8](v.view)
	case uint16:
		return sumReal[A, uint16](v.view)
	case uint32:
		return sumReal[A, uint32](v.view)
	case uint64:
		return sumReal[A, uint64](v.view)
	case uint:
		return sumReal[A, uint](v.view)
	case float32:
		return sumReal[A, float32](v.view)
	case float64:
		return sumReal[A, float64](v.view)
	}
	return sumConverted[A](v.view)
}

// sumReal is Sum of numbers that Go can add up.
func sumReal[A Accumulator, T kernel.Real](v view) (sum A) {
	isInt := T(1)/2 == 0
	switch p := any(&sum).(type) {
	case *float64:
		*p = total[T](v)
		return
	case *int64:
		if isInt {
			*p = totalIntegers[T](v)
			return
		}
	case *uint64:
		if isInt {
			*p = uint64(totalIntegers[T](v))
			return
		}
	case *complex128:
		*p = complex(total[T](v), 0)
		return
	}
	return sumConverted[A](v)
}

// sumConverted is Sum where elements are converted to an A first.
func sumConverted[A Accumulator](c view) A {
	want := must(dtype.Of[A]())
	if have := c.mustBeSet().value; have.Kind() == dtype.KindComplex && want.Kind() != dtype.KindComplex {
		panic(&usageError{fmt.Sprintf("%sthe sum of complex numbers is complex: want Sum[complex128]", prefix(c.el.mem.Path)), nil})
	}
	return wholeOf[A](Reduction{Op: OpSum}, must(c.mapParts(func(c view) (view, error) { return c.converted(want) })))
}

// converted returns c with its Go values converted to numbers of dtype want.
func (c view) converted(want dtype.DType) (view, error) {
	with := *c.el
	first, second := c.el.load, elem.Codec{}
	second, err := elem.New(want, c.el.value)
	with.load, with.value, with.size, with.cast = elem.Chain(&first, &second), want, want.ItemSize(), true
	c.el = &with
	return c, err
}

// wholeOf returns the result of r for all elements of c.
func wholeOf[R any](r Reduction, c view) R {
	dst := must(FromSlice(make([]R, 1))).Index(0)
	if err := r.into(dst.view, c, c.mustBeSet().value); err != nil {
		panic(&usageError{err.Error(), err})
	}
	return dst.At()
}

// Mean returns the mean of the elements of v, computed in float64: NaN if there are
// none.
func Mean[T Ordered](v View[T]) float64 { return Sum[float64](v) / float64(v.Size()) }

// Var returns the variance of the elements of v: the sum of the squares of what they differ
// from the mean, divided by their number less ddof. It is computed in one pass, and NaN or
// infinite if there are no more than ddof elements, as in NumPy.
func Var[T Ordered](v View[T], ddof int) float64 {
	return wholeOf[float64](Reduction{Op: OpVar, DDof: ddof}, v.view)
}

// MinMax returns the least and the greatest element of v: as in NumPy both are NaN if
// one element is. It panics if v has no elements.
func MinMax[T Ordered](v View[T]) (lo, hi T) {
	switch any(*new(T)).(type) { // as in Sum
	case int8:
		return as2[T](minMaxReal[int8](v.view))
	case int16:
		return as2[T](minMaxReal[int16](v.view))
	case int32:
		return as2[T](minMaxReal[int32](v.view))
	case int64:
		return as2[T](minMaxReal[int64](v.view))
	case int:
		return as2[T](minMaxReal[int](v.view))
	case uint8:
		return as2[T](minMaxReal[uint8](v.view))
	case uint16:
		return as2[T](minMaxReal[uint16](v.view))
	case uint32:
		return as2[T](minMaxReal[uint32](v.view))
	case uint64:
		return as2[T](minMaxReal[uint64](v.view))
	case uint:
		return as2[T](minMaxReal[uint](v.view))
	case float32:
		return as2[T](minMaxReal[float32](v.view))
	case float64:
		return as2[T](minMaxReal[float64](v.view))
	}
	mustHaveElements(v.view)
	return wholeOf[T](Reduction{Op: OpMin}, v.view), wholeOf[T](Reduction{Op: OpMax}, v.view)
}

// as2 returns two numbers of type U, which is T, as such.
func as2[T, U any](x, y U) (T, T) { return any(x).(T), any(y).(T) }

func mustHaveElements(c view) {
	if c.Size() == 0 {
		panic("array: no elements, so none is least or greatest")
	}
}

// minMaxReal is MinMax of numbers that Go can compare.
func minMaxReal[T kernel.Real](v view) (lo, hi T) {
	mustHaveElements(v)
	if v.isSmall() {
		return extremes[T](v).both()
	}
	pairs := inParts(v, extremes[T])
	all := pairs[0]
	for _, p := range pairs[1:] {
		all = all.with(p)
	}
	return all.both()
}

// Min returns the least element of v, or panics; see [MinMax].
func Min[T Ordered](v View[T]) T { lo, _ := MinMax(v); return lo }

// Max returns the greatest element of v, or panics; see [MinMax].
func Max[T Ordered](v View[T]) T { _, hi := MinMax(v); return hi }

// ArgMin returns the position in C order of the least element of v, the first of several, and
// that of the first NaN if there is one. index.Unravel has its indices. It panics if v has no
// elements.
func ArgMin[T Ordered](v View[T]) int {
	mustHaveElements(v.view)
	return int(wholeOf[int64](Reduction{Op: OpArgMin}, v.view))
}

// ArgMax returns the position in C order of the greatest element of v, as [ArgMin] does that of
// the least.
func ArgMax[T Ordered](v View[T]) int {
	mustHaveElements(v.view)
	return int(wholeOf[int64](Reduction{Op: OpArgMax}, v.view))
}

// CountNonzero returns how many elements of v are not zero. NaN is not.
func CountNonzero[T Number](v View[T]) int {
	return int(wholeOf[int64](Reduction{Op: OpCount}, v.view))
}

// MomentsOf returns the [Moments] of the elements of v. NaN is counted and left out.
func MomentsOf[T Ordered](v View[T]) Moments {
	return wholeOf[Moments](Reduction{Op: OpMoments}, v.view)
}

// isSmall reports whether v is reduced as a whole, by one goroutine, and if so has its pages read.
func (c *view) isSmall() bool {
	if c.onPages() >= strided.PartBytes {
		return false
	}
	if c.el.stack == nil {
		c.piece().Want()
	}
	return true
}

// inParts returns f of parts of v, in memory order. Which parts there are depends on v
// alone.
func inParts[R any](v view, f func(view) R) []R {
	c := v.inMemoryOrder()
	c = c.sub(c.lay.Coalesce(), 0)
	about := 1 + c.onPages()/strided.PartBytes
	results := make([]R, countParts(c.lay, about))
	ahead := readahead(&c, len(results))
	defer ahead.Stop()
	strided.Share(len(results), func(k int) {
		ahead.Enter(k)
		results[k] = f(c.cut(k, about))
		ahead.Leave(k)
	})
	return results
}
