package strided

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// slabs cut a large piece on a disk into parts for a walk that does not follow its memory order. The parts, called
// slabs, follow each other in the order of the walk. A walk through the piece itself would visit each page once for
// each element on the page, and would find the page evicted each time. So each slab is copied to memory in tiles, and
// the walk goes through the copy.
type slabs struct {
	p      Piece // the piece, transposed for order F so that the walk is in order C
	order  index.Order
	grid   grid
	copied int    // the number of slabs that next has copied
	buf    []byte // the copy of the current slab

	// The arguments of StartValues or StartBlocks, and which of the two was called.
	values, direct bool
	decode         *elem.Codec
	size           int
}

// SlabBytes returns the maximum number of bytes of a slab. The larger a slab, the fewer times a page is read.
func SlabBytes() int { return min(max(availableMemory()/slabsInMemory, minTileBytes), maxSlabBytes) }

// SlabBytes returns the maximum size in bytes of the parts in which to copy p in C order. The result is least, unless p
// is large, C order is not its memory order, and pages of p are not in memory. In that case it is least or the size of
// a slab, whichever is greater.
func (p Piece) SlabBytes(least int) int {
	if lo, hi := p.Layout.Bounds(p.ItemSize); p.Mem.File == nil || hi-lo < minAcrossBytes {
		return least
	}
	var buf [smallRank]axis
	if axes, _ := layoutAxes(buf[:0], p.Layout, index.C); isNested(axes, 1) || p.coldSpans(true) == nil {
		return least
	}
	return max(least, SlabBytes())
}

// newSlabs cuts p, which is not empty, into slabs for a walk in order C or F. A slab has up to limit bytes, or one
// element. It covers one index of some outer axes, a range of indices of the next axis, and the whole of each remaining
// axis.
func newSlabs(p Piece, order index.Order, limit int) *slabs {
	if order == index.F {
		p.Layout = reverseAxes(p.Layout)
	}
	shape := p.Layout.Shape()
	bytes := p.Layout.Size() * p.ItemSize
	for axis, n := range shape {
		bytes /= n // the size of one index along this axis
		shape[axis] = min(n, max(1, limit/max(1, bytes)))
		if bytes <= limit {
			break
		}
	}
	return &slabs{p: p, order: order, grid: newGrid(p.Layout, shape, axisNumbers(len(shape)))}
}

// reverseAxes returns a layout with its axes in reverse order.
func reverseAxes(lay index.Layout) index.Layout {
	lay, err := lay.Transpose()
	if err != nil {
		panic(fmt.Errorf("array: bug: %w", err))
	}
	return lay
}

// next copies the next slab and starts w on the copy. It returns false if there is no further slab.
func (s *slabs) next(w *Cursor) bool {
	if s.copied == s.grid.tiles {
		return false
	}
	slab := s.grid.tile(s.p, s.grid.position(s.copied))
	s.copied++
	if s.buf == nil {
		s.buf = Alloc(slab.Layout.Size() * slab.ItemSize) // the first slab is the largest
	}
	lay, err := index.NewLayout(slab.Layout.Shape(), slab.ItemSize, index.C)
	if err != nil {
		panic(fmt.Errorf("array: bug: %w", err))
	}
	to := PieceOn(s.buf, lay, slab.ItemSize)
	same := elem.Repeat(slab.ItemSize)
	if err := Copy(to, slab, &same); err != nil {
		panic(fmt.Errorf("array: bug: %w", err))
	}
	if s.order == index.F {
		to.Layout = reverseAxes(lay)
	}
	buf := w.buf
	if s.values {
		w.StartValues(to, s.order, s.decode, s.direct, s.size, Never)
	} else {
		w.StartBlocks(to, s.order, s.decode, s.direct, s.size, Never)
	}
	w.buf, w.slabs = buf, s
	return true
}
