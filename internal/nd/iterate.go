package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A LoopBuffer is where a loop over values has the elements that are not Go values in
// memory: as many as fit, decoded at a time. It is on the stack of the loop.
type LoopBuffer [128]uint64

// FirstIndex makes idx, which is zeros, the first index in an order.
func (c *Array) FirstIndex(idx []int, order index.Order) {
	if checkOrder(order); order != index.K {
		return
	}
	for axis := range idx {
		if c.Layout.Stride(axis) < 0 {
			idx[axis] = c.Layout.Len(axis) - 1
		}
	}
}

// checkOrder panics for an order that is none.
func checkOrder(order index.Order) {
	if order > index.K {
		panic(fmt.Sprintf("array: a loop in the order %v; want C, F or K", order))
	}
}

// Increment makes idx the index that follows it in the order C or F, and the first one
// after the last. It inlines.
func Increment(lay index.Layout, idx []int, order index.Order) {
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

// IncrementK is increment in the order of the memory: along the axis with the smallest
// stride first, downwards where it is negative. Of axes with one stride the last comes first.
func IncrementK(lay index.Layout, idx []int) {
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

// A Cursor walks through the elements of a View with a strided.Cursor, or with one after the other for the parts of
// a stack.
type Cursor struct {
	strided.Cursor
	view   Array // what the Cursor walks through
	blocks bool  // hand out blocks
	Ahead  strided.Ahead
	stack  *joinedCursor
}

// Walk begins to walk through c.
func (w *Cursor) Walk(c *Array, order index.Order) {
	if c.MustBeSet().IsJoined() {
		w.stack = newJoinedCursor(*c, order)
		return
	}
	w.begin(c, order)
}

// begin begins to walk through c, which is whole.
func (w *Cursor) begin(c *Array, order index.Order) {
	w.view = *c
	if w.blocks {
		w.StartBlocks(c.Piece(), order, &c.Store.Decode, c.Read == InPlace, c.Store.Size, w.Ahead)
	} else {
		w.StartValues(c.Piece(), order, &c.Store.Decode, c.Read == InPlace, c.Store.Size, w.Ahead)
	}
}

// ReadValues hands out the next elements, as strided.Cursor.Next does. noinline keeps the
// loops over it within the inlining budget.
//
//go:noinline
func (w *Cursor) ReadValues(buf *LoopBuffer) (p pointer, n, stride int) {
	for {
		p, n, stride = w.Next(strided.Hide(pointer(buf)), len(buf)*8)
		if n > 0 || w.stack == nil || !w.stack.next(w) {
			return p, n, stride
		}
	}
}

// ReadBlock hands out the next block, as strided.Cursor.NextBlock does.
func (w *Cursor) ReadBlock() (p pointer, n int) {
	for {
		p, n = w.NextBlock()
		if n > 0 || w.stack == nil || !w.stack.next(w) {
			return p, n
		}
	}
}

// StoreBlock stores the last block, of n elements.
func (w *Cursor) StoreBlock(n int) {
	w.Put(n, &w.view.Store.Encode)
	if w.stack != nil {
		w.stack.put()
	}
}

// Blocks begins to walk through c for a loop over blocks.
func (c *Array) Blocks(order index.Order, ahead strided.Ahead) (w Cursor) {
	checkOrder(order)
	w.blocks, w.Ahead = true, ahead
	w.Walk(c, order)
	return w
}
