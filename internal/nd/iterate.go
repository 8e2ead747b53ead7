package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Cursor walks through the elements of an array. It visits the parts of a joined array in turn.
type Cursor struct {
	strided.Cursor
	Ahead  strided.Ahead
	store  *Storage // the storage of the array that the embedded Cursor walks through
	blocks bool     // return blocks instead of values
	stack  *joinedCursor
}

// Blocks returns a Cursor that walks through the blocks of a. It panics if order is not C, F or K.
func (a *View) Blocks(order index.Order, ahead strided.Ahead) (w Cursor) {
	checkOrder(order)
	w.blocks, w.Ahead = true, ahead
	w.Walk(a, order)
	return w
}

// Walk begins to walk through v.
func (w *Cursor) Walk(v *View, order index.Order) {
	if !v.MustBeSet().IsJoined() {
		w.begin(v.piece(), v.Store, v.Read, order)
	} else if a, ok := v.Plain(); ok {
		w.begin(a.Piece, a.Store, a.Read, order)
	} else {
		w.stack = newJoinedCursor(*v, order)
	}
}

// A LoopBuffer is the buffer to which a loop over values decodes elements. The loop keeps it in its stack frame.
type LoopBuffer [128]uint64

// ReadValues returns the next n elements: the address of the first one, and the distance between them in bytes. It
// decodes elements that are not Go values in memory to buf. After the last element n is 0. ReadValues is not inlined,
// so that loops that call it can be.
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

// ReadBlock returns the address of the next block and its number of elements, which is 0 after the last block. The
// block is valid until the next call.
func (w *Cursor) ReadBlock() (p pointer, n int) {
	for {
		p, n = w.NextBlock()
		if n > 0 || w.stack == nil || !w.stack.next(w) {
			return p, n
		}
	}
}

// StoreBlock stores the n elements of the last block that ReadBlock returned, unless the block is memory of the array.
func (w *Cursor) StoreBlock(n int) {
	w.Put(n, &w.store.Encode)
	if w.stack != nil {
		w.stack.writeBack()
	}
}

// begin begins to walk through the elements of p, which have the storage st.
func (w *Cursor) begin(p strided.Piece, st *Storage, read Access, order index.Order) {
	w.store = st
	if w.blocks {
		w.StartBlocks(p, order, &st.Decode, read == InPlace, st.Size, w.Ahead)
	} else {
		w.StartValues(p, order, &st.Decode, read == InPlace, st.Size, w.Ahead)
	}
}

// FirstIndex sets idx, which must be all zeros, to the index of the first element in the given order. It panics if
// order is not C, F or K.
func (a *View) FirstIndex(idx []int, order index.Order) {
	if checkOrder(order); order != index.K {
		return
	}
	for axis := range idx {
		if a.Layout.Stride(axis) < 0 {
			idx[axis] = a.Layout.Len(axis) - 1
		}
	}
}

// Increment advances idx to the next index in order C or F, and from the last index to the first. It is small enough to
// be inlined.
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

// IncrementK advances idx to the next index in memory order, and from the last index to the first. The axis with the
// smallest stride changes first, and an axis with a negative stride counts down. Of axes with equal strides, the last
// one changes first.
func IncrementK(lay index.Layout, idx []int) {
	axis := len(idx) // no axis yet
	for range idx {
		last := axis
		axis = -1
		for k := len(idx) - 1; k >= 0; k-- { // find the fastest axis that is slower than the last one
			if (last == len(idx) || isSlower(lay, k, last)) && (axis < 0 || isSlower(lay, axis, k)) {
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

// isSlower reports whether the index of axis j changes less often in memory order than the index of axis k.
func isSlower(lay index.Layout, j, k int) bool {
	s, t := abs(lay.Stride(j)), abs(lay.Stride(k))
	return s > t || s == t && j < k
}

// checkOrder panics if order is not C, F or K.
func checkOrder(order index.Order) {
	if order > index.K {
		panic(Misuse(fmt.Sprintf("array: invalid order %v; want C, F or K", order), ErrShape))
	}
}
