package array

import (
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// Real is a type of real numbers that can be reduced. Types that are defined from
// others are none, and so dtype.Float16 is not: convert such arrays first, with
// [Convert] or [Copy].
type Real interface{ kernel.Real }

// Sum is the sum of the elements of v, 0 if there are none. Integers wrap around.
// Floats are added up pairwise in float64, and rounded to T at the end.
//
// Sum, like the other reductions, divides a large view among GOMAXPROCS
// goroutines; the result is the same for any number of them. A page fault in one
// of them is a panic in the caller's goroutine, where [mmap.Guard] can have it.
func Sum[T Real](v View[T]) T {
	if T(1)/2 != 0 {
		return T(total[float64](v))
	}
	return total[T](v)
}

// Mean is the mean of the elements of v, computed in float64: NaN if there are
// none.
func Mean[T Real](v View[T]) float64 { return total[float64](v) / float64(v.Size()) }

// total adds up in the type A.
func total[A, T Real](v View[T]) A { return kernel.Sum[A](reduce(v, kernel.Sum[A, T])) }

// MinMax is the least and the greatest element of v: as in NumPy both are NaN if
// one element is. It panics if v has no elements.
func MinMax[T Real](v View[T]) (lo, hi T) {
	if v.Size() == 0 {
		panic("array: no elements, so none is least or greatest")
	}
	type pair struct{ lo, hi T }
	pairs := reduce(v, func(b []T) pair {
		lo, hi := kernel.MinMax(b)
		return pair{lo, hi}
	})
	all := pairs[0]
	for _, p := range pairs[1:] {
		all = pair{min(all.lo, p.lo), max(all.hi, p.hi)}
	}
	return all.lo, all.hi
}

// Min is the least element of v; see [MinMax].
func Min[T Real](v View[T]) T { lo, _ := MinMax(v); return lo }

// Max is the greatest element of v; see [MinMax].
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

// reduce is f of every block of v, in memory order. The blocks depend on v alone,
// and so does what is computed from their results in this order.
func reduce[T, R any](v View[T], f func([]T) R) []R {
	if v.NBytes() < strided.PartBytes {
		var r []R
		for b := range v.Blocks(index.K) {
			r = append(r, f(b))
		}
		return r
	}
	v.core = v.inMemoryOrder()
	v.core = v.sub(v.lay.Coalesce(), 0)
	parts := v.parts(1 + v.NBytes()/strided.PartBytes)
	results := make([][]R, len(parts))
	ahead := v.piece().Readahead(len(parts))
	strided.Share(len(parts), func(k int) {
		ahead.Enter(k)
		var r []R
		for b := range parts[k].Blocks(index.C) {
			r = append(r, f(b))
		}
		results[k] = r
		ahead.Leave(k)
	})
	return slices.Concat(results...)
}
