package strided

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// slabs are parts of a large piece on a disk that follow one another in the order C of its axes, which is not that of
// its memory. A walk in that order would come to each page as often as there are elements on it, and find it gone. A
// slab is copied to memory in tiles, and the walk goes through the copy.
type slabs struct {
	p     Piece
	order index.Order
	k, n  int // the next slab, and how many there are
	axis  int // that is cut, into parts of length step; of the axes before it a slab has one index
	step  int
	buf   []byte

	values, direct bool // of StartValues, or StartBlocks
	load           *elem.Codec
	size           int
}

// SlabBytes returns how many bytes a slab has: the more, the fewer times a page is read.
func SlabBytes() int { return min(max(memory()/slabsInMemory, minTileBytes), mostSlab) }

// SlabBytes returns how many bytes the parts have at most in which to copy p in the order C of its axes: least, or,
// where p lies across that order and is not in memory, as many as a slab has.
func (p Piece) SlabBytes(least int) int {
	if lo, hi := p.Layout.Bounds(p.ItemSize); p.Mem.File == nil || hi-lo < leastAcross {
		return least
	}
	var buf [smallRank]axis
	if axes, _ := single(buf[:0], p.Layout, index.C); isNested(axes, 1) || p.coldSpans(true) == nil {
		return least
	}
	return max(least, SlabBytes())
}

// newSlabs returns slabs of so many bytes at most, or of one element.
func newSlabs(p Piece, order index.Order, most int) *slabs {
	w := &slabs{p: p, order: order, n: 1}
	if order == index.F {
		w.p.Layout = reversed(p.Layout)
	}
	lay := w.p.Layout
	inner := lay.Size() * p.ItemSize // of one index of the axes before
	for w.axis = 0; ; w.axis++ {
		length := lay.Len(w.axis)
		inner /= length
		if inner <= most || w.axis == lay.NDim()-1 {
			w.step = max(1, most/max(1, inner))
			w.n *= (length + w.step - 1) / w.step
			return w
		}
		w.n *= length
	}
}

// reversed returns a layout with its axes the other way round.
func reversed(lay index.Layout) index.Layout {
	lay, err := lay.Transpose()
	if err != nil {
		panic("array: bug: " + err.Error())
	}
	return lay
}

// next has w walk through the next slab, if there is one.
func (s *slabs) next(w *Cursor) bool {
	if s.k == s.n {
		return false
	}
	slab, k := s.p, s.k
	s.k++
	length := s.p.Layout.Len(s.axis)
	per := (length + s.step - 1) / s.step
	lo := k % per * s.step
	slab = slab.along(s.axis, index.Range(lo, min(lo+s.step, length)))
	k /= per
	for axis := s.axis - 1; axis >= 0; axis-- {
		n := s.p.Layout.Len(axis)
		slab = slab.along(axis, index.Range(k%n, k%n+1))
		k /= n
	}
	n := slab.Layout.Size() * slab.ItemSize
	if s.buf == nil {
		s.buf = Alloc(n) // the first is the largest
	}
	lay, err := index.NewLayout(slab.Layout.Shape(), slab.ItemSize, index.C)
	if err != nil {
		panic("array: bug: " + err.Error())
	}
	to := PieceOn(s.buf, lay, slab.ItemSize)
	same := elem.Repeat(slab.ItemSize)
	if err := Copy(to, slab, &same); err != nil {
		panic("array: bug: " + err.Error())
	}
	if s.order == index.F {
		to.Layout = reversed(lay)
	}
	buf := w.buf
	if s.values {
		w.StartValues(to, s.order, s.load, s.direct, s.size, Never)
	} else {
		w.StartBlocks(to, s.order, s.load, s.direct, s.size, Never)
	}
	w.buf, w.slabs = buf, s
	return true
}
