package array

import (
	"fmt"
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A loopBuffer is where a loop over values has the elements that are not Go values in
// memory: as many as fit, decoded at a time. It is on the stack of the loop.
type loopBuffer [128]uint64

// Values iterates over the elements in C order. Elements that are not Go values in memory, or lie scattered, are read
// up to 1 KiB ahead of the loop; of a file that is not in memory and lies in another order, as [View.Blocks] says. For
// elements of up to 1 KiB it allocates nothing, but for a small object in a file of more than 32 MiB, and for the parts
// of a [Stack].
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

// All iterates over the elements with their indices, in the order C, F, or K, which is the order they have in memory;
// another order panics. The slice of indices is reused from step to step and must not be changed. It reads ahead, and
// in a range statement allocates, as [View.Values] does.
func (v View[T]) All(order index.Order) iter.Seq2[[]int, T] {
	return func(yield func([]int, T) bool) {
		var buf loopBuffer
		var indices [index.MaxDims]int
		idx := indices[:v.NDim()]
		w := v.cursor(order)
		v.view.firstIndex(idx, order)
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
				if order == index.K {
					incrementK(v.view.lay, idx)
				} else {
					increment(v.view.lay, idx, order)
				}
			}
		}
	}
}

// firstIndex makes idx, which is zeros, the first index in an order.
func (c *view) firstIndex(idx []int, order index.Order) {
	if checkOrder(order); order != index.K {
		return
	}
	for axis := range idx {
		if c.lay.Stride(axis) < 0 {
			idx[axis] = c.lay.Len(axis) - 1
		}
	}
}

// checkOrder panics for an order that is none.
func checkOrder(order index.Order) {
	if order > index.K {
		panic(fmt.Sprintf("array: a loop in the order %v; want C, F or K", order))
	}
}

// increment makes idx the index that follows it in the order C or F, and the first one
// after the last. It inlines.
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

// incrementK is increment in the order of the memory: along the axis with the smallest
// stride first, downwards where it is negative. Of axes with one stride the last comes first.
func incrementK(lay index.Layout, idx []int) {
	axis := len(idx) // the one before
	for range idx {
		last := axis
		axis = -1
		for k := len(idx) - 1; k >= 0; k-- {
			if (last == len(idx) || slower(lay, k, last)) && (axis < 0 || slower(lay, axis, k)) {
				axis = k
			}
		}
		if lay.Stride(axis) < 0 {
			if idx[axis]--; idx[axis] >= 0 {
				return
			}
			idx[axis] = lay.Len(axis) - 1
			continue
		}
		if idx[axis]++; idx[axis] < lay.Len(axis) {
			return
		}
		idx[axis] = 0
	}
}

// slower reports whether the index of axis j varies more slowly than that of k, in the
// order of the memory.
func slower(lay index.Layout, j, k int) bool {
	s, t := abs(lay.Stride(j)), abs(lay.Stride(k))
	return s > t || s == t && j < k
}

// A cursor walks through the elements of a View with a strided.Cursor, or with one after the other for the parts of
// a stack.
type cursor struct {
	strided.Cursor
	view   view // what the Cursor walks through
	blocks bool // hand out blocks
	ahead  strided.Ahead
	stack  *stackCursor
}

// cursor begins to walk through v for a loop over values.
func (v *View[T]) cursor(order index.Order) (w cursor) {
	w.ahead = strided.Copied
	w.walk(&v.view, order)
	return w
}

// walk begins to walk through c.
func (w *cursor) walk(c *view, order index.Order) {
	if !c.mustBeSet().isWhole() {
		w.stack = newStackCursor(*c, order)
		return
	}
	w.begin(c, order)
}

// begin begins to walk through c, which is whole.
func (w *cursor) begin(c *view, order index.Order) {
	w.view = *c
	if w.blocks {
		w.StartBlocks(c.piece(), order, &c.el.load, c.load == direct, c.el.size, w.ahead)
	} else {
		w.StartValues(c.piece(), order, &c.el.load, c.load == direct, c.el.size, w.ahead)
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
	w.Put(n, &w.view.el.save)
	if w.stack != nil {
		w.stack.put()
	}
}
