package array

import (
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A loopBuffer is where a loop over values has the elements that are not Go values in
// memory: as many as fit, decoded at a time. It is on the stack of the loop.
type loopBuffer [128]uint64

// Values iterates over the elements in C order. It allocates nothing for elements of
// up to 1 KiB, and one small object for a file of more than 32 MiB.
//
// Elements that are not Go values in memory, or lie scattered, are read up to 1 KiB
// ahead of the loop, or 8 KiB where they come from several parts of a [Stack]. A loop
// that writes to the same array may so get what was there before, and a page fault
// comes that much early. No other goroutine may write elements of v during the loop,
// not even elements that the loop has not come to.
func (v View[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		var buf loopBuffer
		w := v.cursor(index.C)
		for {
			p, n, stride := w.next(&buf)
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

// All iterates over the elements with their indices, in the order C or F; K is
// the same as C. The slice of indices is reused from step to step and must not be
// changed. What [View.Values] says of reading ahead holds here. All allocates nothing
// where the compiler can inline it (in a range statement), and one slice of indices
// otherwise.
func (v View[T]) All(order index.Order) iter.Seq2[[]int, T] {
	return func(yield func([]int, T) bool) {
		var buf loopBuffer
		var indices [index.MaxDims]int
		idx := indices[:v.NDim()]
		if order != index.F {
			order = index.C
		}
		w := v.cursor(order)
		for {
			p, n, stride := w.next(&buf)
			if n == 0 {
				return
			}
			for off := 0; n > 0; n-- {
				if !yield(idx, strided.Load[T](p, off)) {
					return
				}
				off += stride
				increment(v.lay, idx, order)
			}
		}
	}
}

// increment makes idx the index that follows it, and the first one after the last.
func increment(lay index.Layout, idx []int, order index.Order) {
	for k := range idx {
		axis := k
		if order != index.F {
			axis = len(idx) - 1 - k
		}
		if idx[axis]++; idx[axis] < lay.Len(axis) {
			return
		}
		idx[axis] = 0
	}
}

// A cursor walks through the elements of a View with a strided.Cursor; for a stack
// there is one after the other for its parts.
type cursor struct {
	strided.Cursor
	core   core // what the Cursor walks through
	blocks bool // hand out blocks
	stack  *stackCursor
}

// cursor begins to walk through v for a loop over values.
func (v *View[T]) cursor(order index.Order) (w cursor) {
	w.walk(&v.core, order)
	return w
}

// walk begins to walk through c.
func (w *cursor) walk(c *core, order index.Order) {
	if c.mustBeSet().stack != nil {
		w.stack = newStackCursor(*c, order)
		return
	}
	w.begin(c, order)
}

// begin begins to walk through c, which is no stack.
func (w *cursor) begin(c *core, order index.Order) {
	w.core = *c
	if w.blocks {
		w.StartBlocks(c.piece(), order, &c.el.load, c.load == direct, c.el.size)
	} else {
		w.StartValues(c.piece(), order, &c.el.load, c.load == direct, c.el.size)
	}
}

// next hands out the next elements, as strided.Cursor.Next does. noinline keeps the
// loops over it within the inlining budget.
//
//go:noinline
func (w *cursor) next(buf *loopBuffer) (p pointer, n, stride int) {
	for {
		p, n, stride = w.Next(strided.Hide(pointer(buf)), len(buf)*8)
		if n > 0 || w.stack == nil || !w.stack.next(w) {
			return p, n, stride
		}
	}
}

// nextBlock hands out the next block, as strided.Cursor.NextBlock does.
func (w *cursor) nextBlock() (p pointer, n int) {
	for {
		p, n = w.NextBlock()
		if n > 0 || w.stack == nil || !w.stack.next(w) {
			return p, n
		}
	}
}

// put stores the last block, of n elements.
func (w *cursor) put(n int) {
	w.Put(n, &w.core.el.save)
	if w.stack != nil {
		w.stack.put()
	}
}
