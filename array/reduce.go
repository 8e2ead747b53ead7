package array

import (
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// Real is the constraint of the reductions: the types of Go's real numbers. Types that
// are defined from these are not among them, [dtype.Half] included, which is a uint16 that
// must not be summed as one: [Cast] such arrays to float32.
type Real interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint | float32 | float64
}

// Sum returns the sum of the elements of v, 0 if there are none. Integers wrap around.
// Floats are added up pairwise in float64, and rounded to T at the end.
//
// Sum, like the other reductions, divides a large view among GOMAXPROCS
// goroutines; the result is the same for any number of them. A page fault in one
// of them is a panic in the goroutine of the caller, where [mmap.Guard] turns it into an
// error.
func Sum[T Real](v View[T]) T {
	if T(1)/2 != 0 {
		return T(total(v))
	}
	if v.isSmall() {
		return sumIntegers(v)
	}
	return kernel.Sum[T](inParts(v, sumIntegers))
}

// Mean returns the mean of the elements of v, computed in float64: NaN if there are
// none.
func Mean[T Real](v View[T]) float64 { return total(v) / float64(v.Size()) }

// MinMax returns the least and the greatest element of v: as in NumPy both are NaN if
// one element is. It panics if v has no elements.
func MinMax[T Real](v View[T]) (lo, hi T) {
	if v.Size() == 0 {
		panic("array: no elements, so none is least or greatest")
	}
	if v.isSmall() {
		return extremes(v).both()
	}
	pairs := inParts(v, extremes)
	all := pairs[0]
	for _, p := range pairs[1:] {
		all = all.with(p)
	}
	return all.both()
}

// Min returns the least element of v, or panics; see [MinMax].
func Min[T Real](v View[T]) T { lo, _ := MinMax(v); return lo }

// Max returns the greatest element of v, or panics; see [MinMax].
func Max[T Real](v View[T]) T { _, hi := MinMax(v); return hi }

// parts cuts v into about n parts which follow one another in C order.
func (v View[T]) parts(n int) []View[T] {
	if v.NDim() < 2 || v.Dim(0) >= n || v.Dim(0) == 0 {
		return v.Split(n)
	}
	var all []View[T]
	for i := range v.Dim(0) {
		all = append(all, v.Index(i).parts(1+(n-1)/v.Dim(0))...)
	}
	return all
}

// isSmall reports whether v is reduced as a whole, by one goroutine.
func (v *View[T]) isSmall() bool { return v.NBytes() < strided.PartBytes }

// inParts returns f of parts of v, in memory order. Which parts there are depends on v
// alone.
func inParts[T, R any](v View[T], f func(View[T]) R) []R {
	v.view = v.inMemoryOrder()
	v.view = v.sub(v.lay.Coalesce(), 0)
	parts := v.parts(1 + v.NBytes()/strided.PartBytes)
	results := make([]R, len(parts))
	ahead := v.piece().Readahead(len(parts))
	strided.Share(len(parts), func(k int) {
		ahead.Enter(k)
		results[k] = f(parts[k])
		ahead.Leave(k)
	})
	return results
}
