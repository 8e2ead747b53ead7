package array

import (
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Blocks iterates over the elements in blocks of up to 64 KiB, in the order C, F, or K, which
// is the order they have in memory; another order panics. Use it for functions that take
// slices; it is also the fastest way through an array of any layout and byte order.
//
// A run of at least 512 bytes of elements that are Go values in memory and follow one another
// is handed out in place. Everything else is copied, up to 8 KiB at a time, to one buffer. A
// block is valid until the loop asks for the next one, and must not be written to: see
// [View.Update]. At most one buffer is allocated, or one for each part of a [Stack].
//
// Through a file larger than memory Blocks reads ahead, and releases what was not in memory
// before, as long as its order is that of the memory. Another goroutine does that; when the loop is left early,
// it ends by itself after at most some 32 MiB. In another order, what is not in memory and has pages of more than 32 MiB is
// handed out from copies of parts, which have a quarter of the memory that the process may take, or 128 MiB: a
// page is read once for each part that has elements on it. If these are many, use the order K, or [Convert] the
// file first, which reads each page once.
func (v View[T]) Blocks(order index.Order) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		w := v.view.blocks(order, strided.Copied)
		for {
			p, n := w.nextBlock()
			if n == 0 || !yield(strided.Slice[T](p, n)) {
				return
			}
		}
	}
}

// Update iterates over the elements in blocks as [View.Blocks] does, and stores what the body
// of the loop has done to a block before the next one, and also when it leaves the loop by
// break or return, but not when it panics. In another order than that of the memory of a file that has no room in
// memory, it comes to each page many times, and each time it is read and written again: use the order K, or [Map]. All elements of a block are stored: of a view by
// [Cast], those that the body leaves alone are converted there and back as well, and so
// rounded or brought in range. Update panics with an error that wraps [ErrReadOnly] if v is
// read-only.
func (v View[T]) Update(order index.Order) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		v.view.mustBeWritable()
		w := v.view.blocks(order, strided.InPlace)
		for more := true; more; {
			p, n := w.nextBlock()
			if n == 0 {
				return
			}
			more = yield(strided.Slice[T](p, n))
			w.put(n)
		}
	}
}

// blocks begins to walk through c for a loop over blocks.
func (c *view) blocks(order index.Order, ahead strided.Ahead) (w cursor) {
	checkOrder(order)
	w.blocks, w.ahead = true, ahead
	w.walk(c, order)
	return w
}
