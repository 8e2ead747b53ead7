package array

import (
	"fmt"
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Values iterates over the elements in C order. Elements that are not adjacent, or not stored as Go values, are read up
// to 1 KiB ahead of the loop. Values allocates nothing per element. It allocates a few small objects for a file of
// more than 32 MiB or with whole pages between the elements, and memory for the arrays of a [Stack]. For a file
// that is not in memory see [View.Blocks].
func (v View[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		var buf nd.LoopBuffer
		w := v.cursor(index.C)
		for {
			p, n, stride := w.ReadValues(&buf)
			if n == 0 {
				return
			}
			for off := 0; n > 0; n-- {
				if !yield(strided.Load[T](p, off)) {
					return
				}
				off += stride
			}
		}
	}
}

// All iterates over the elements with their indices, in the order C, F, or K, which is their order in memory. Another
// order panics. The slice of indices is reused for each element, and must not be changed. See [View.Values].
func (v View[T]) All(order index.Order) iter.Seq2[[]int, T] {
	return func(yield func([]int, T) bool) {
		var buf nd.LoopBuffer
		var indices [index.MaxDims]int
		idx := indices[:v.NDim()]
		w := v.cursor(order)
		v.view.FirstIndex(idx, order)
		for {
			p, n, stride := w.ReadValues(&buf)
			if n == 0 {
				return
			}
			for off := 0; n > 0; n-- {
				if !yield(idx, strided.Load[T](p, off)) {
					return
				}
				off += stride
				if order == index.K {
					nd.IncrementK(v.view.Layout, idx)
				} else {
					nd.Increment(v.view.Layout, idx, order)
				}
			}
		}
	}
}

// cursor returns a cursor at the first element, for a loop over values.
func (v *View[T]) cursor(order index.Order) (w nd.Cursor) {
	w.Ahead = strided.Copied
	w.Walk(&v.view, order)
	return w
}

// Blocks iterates over the elements in blocks of up to 64 KiB, in the order C, F, or K, which is their order in memory.
// Another order panics. It is the fastest loop over an array of any layout and byte order. A block is valid until the
// next one, and must not be written to: use [View.Update] for that. A block may end within a row: use [Rows] for whole
// rows.
//
// Consecutive Go values in memory are a block in place; other elements are copied to one buffer of up to 8 KiB. Blocks
// allocates nothing else, except what [View.Values] does. A file that is larger than memory is read up to 32 MiB
// ahead. In an order other than K, a file that is not in memory is read through copies of up to a quarter of the
// memory.
func (v View[T]) Blocks(order index.Order) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		w := v.view.Blocks(order, strided.Copied)
		for {
			p, n := w.ReadBlock()
			if n == 0 || !yield(strided.Slice[T](p, n)) {
				return
			}
		}
	}
}

// Update iterates over the elements in blocks like [View.Blocks], and stores the changes that the body of the loop
// makes to a block before the next block, or when the loop is left. If the body panics, only changes to blocks in place
// are stored. All elements of a block are stored, so elements of a [Cast] are rounded and clipped even if the body does
// not change them. Update panics if v is read-only. In a file that is not in memory, use the order K.
func (v View[T]) Update(order index.Order) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		v.view.MustBeWritable()
		w := v.view.Blocks(order, strided.InPlace)
		for more := true; more; {
			p, n := w.ReadBlock()
			if n == 0 {
				return
			}
			more = yield(strided.Slice[T](p, n))
			w.StoreBlock(n)
		}
	}
}

// Find iterates over the indices of the elements of v for which keep returns true, in ascending order, as
// np.flatnonzero(keep(a)) does. v must have one dimension, or Find panics with an error that wraps [ErrShape];
// [View.Ravel] returns such a view. For example, if column is the first column of table, these are the rows in which it
// is positive:
//
//	table.AppendRows(nil, slices.Collect(column.Find(func(x float64) bool { return x > 0 })))
func (v View[T]) Find(keep func(T) bool) iter.Seq[int] {
	mustHaveOneAxis(&v.view)
	return func(yield func(int) bool) {
		i := 0
		for x := range v.Values() {
			if keep(x) && !yield(i) {
				return
			}
			i++
		}
	}
}

// mustHaveOneAxis panics unless c has one dimension.
func mustHaveOneAxis(c *nd.View) {
	if n := c.NDim(); n != 1 {
		panic(fmt.Errorf("array: Find: %w: %d dimensions, want 1; use Ravel", ErrShape, n))
	}
}
