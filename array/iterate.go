package array

import (
	"fmt"
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Values iterates over the elements in C order. Elements that are not Go values in memory, or lie scattered, are read
// up to 1 KiB ahead of the loop; of a file that is not in memory and lies in another order, as [View.Blocks] says. For
// elements of up to 1 KiB it allocates nothing, but for a small object in a file of more than 32 MiB, and for the parts
// of a [Stack].
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

// All iterates over the elements with their indices, in the order C, F, or K, which is the order they have in memory;
// another order panics. The slice of indices is reused from step to step and must not be changed. It reads ahead, and
// in a range statement allocates, as [View.Values] does.
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

// cursor begins to walk through v for a loop over values.
func (v *View[T]) cursor(order index.Order) (w nd.Cursor) {
	w.Ahead = strided.Copied
	w.Walk(&v.view, order)
	return w
}

// Blocks iterates over the elements in blocks of up to 64 KiB, in the order C, F, or K, which is the order they have in
// memory; another order panics. It is the fastest way through an array of any layout and byte order. A block is valid
// until the next one, and must not be written to: see [View.Update]. It may end within a row: [Rows] has whole ones.
//
// A run of at least 512 bytes of Go values in memory is handed out in place. All else is copied to one buffer of up to
// 8 KiB, which is all that Blocks allocates, but for a [Stack]. Through a file larger than memory a goroutine reads
// ahead, which ends by itself after some 32 MiB when the loop is left early. In another order than that of the
// memory, what is not in memory is handed out from copies of parts, of a quarter of the memory that the process may
// take, or 128 MiB: where these are many, use the order K, or [Convert] the file first.
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

// Update iterates over the elements in blocks as [View.Blocks] does, and stores what the body of the loop has done to a
// block before the next one, and also when it leaves the loop, but not when it panics: then only blocks that are
// memory of v have what was done to them. All elements of a block are stored, so those of a [Cast] that the body
// leaves alone are rounded or brought in range. In another order than that of the memory, pages on the disk are read
// and written many times: use K, or [Map]. A read-only v panics.
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

// Find iterates over the indices of the elements of v for which keep is true, in ascending order, as
// np.flatnonzero(keep(a)) does. v has one dimension; other views make it panic with an error that wraps [ErrShape],
// since [View.Take] takes indices of the first axis. So the rows of a table whose first column is positive are, of that
// column
//
//	table.Take(nil, slices.Collect(v.Find(func(x float64) bool { return x > 0 })))
//
// Of more dimensions, [View.Ravel] has a view of one, and [index.Unravel] the indices along each axis. Find reads
// ahead, and allocates, as Values does.
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
		panic(fmt.Errorf("array: Find: %w: %d dimensions, want 1; Ravel has a view of one", ErrShape, n))
	}
}
