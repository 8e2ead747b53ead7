package nd

import (
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Part is a selection of several views of the same shape: it contains the elements of each view at the same indices.
type Part struct {
	Views     []View
	Positions *Positions // positions of the elements in the whole views; nil if they are not needed
}

// Positions maps the elements of a selection to their positions in the whole view, in C order. The strides of its
// layout count elements instead of bytes.
type Positions struct {
	Layout index.Layout
	first  int
}

// position returns the position in the whole view of element i of the selection, in C order of the selection.
func (p *Positions) position(i int) int {
	pos := p.first
	for axis := p.Layout.NDim() - 1; axis >= 0; axis-- {
		n := p.Layout.Len(axis)
		pos += i % n * p.Layout.Stride(axis)
		i /= n
	}
	return pos
}

// derive applies a function to the layouts of p. The function returns a new layout and the offset of its first element.
func (p Part) derive(derive func(index.Layout) (index.Layout, int, error)) Part {
	q := Part{Views: make([]View, len(p.Views))}
	for k, v := range p.Views {
		q.Views[k] = Must(v.Derive(derive(v.Layout)))
	}
	if p.Positions != nil {
		lay, off, err := derive(p.Positions.Layout)
		q.Positions = &Positions{Must(lay, err), p.Positions.first + off}
	}
	return q
}

// size returns the number of elements of each view.
func (p *Part) size() int { return p.Views[0].Layout.Size() }

// bytes returns the number of bytes of the largest view.
func (p *Part) bytes() (n int) {
	for k := range p.Views {
		n = max(n, p.Views[k].NBytes())
	}
	return n
}

// bytesOnPages returns the largest View.bytesOnPages of the views.
func (p *Part) bytesOnPages() (n int) {
	for k := range p.Views {
		n = max(n, p.Views[k].bytesOnPages())
	}
	return n
}

// pieces returns the views as strided.Pieces.
func (p Part) pieces() []strided.Piece {
	all := make([]strided.Piece, len(p.Views))
	for k := range p.Views {
		all[k] = p.Views[k].piece()
	}
	return all
}

// half returns the first (k = 0) or second (k = 1) half of p along an axis.
func (p Part) half(axis, k int) Part {
	return p.derive(func(lay index.Layout) (index.Layout, int, error) {
		n := lay.Len(axis)
		lo := strided.Bound(n, k, 2)
		return SelectRange(lay, axis, lo, strided.Bound(n, k+1, 2)-lo)
	})
}

// Half returns the first (k = 0) or second (k = 1) half of p, which has more than one element. It cuts the axis for
// which each half has elements on the fewest pages.
func (p Part) Half(k int) Part { return p.half(strided.HalvedAxis(p.pieces()...), k) }

// cutByHalves cuts p into 1<<halvings parts by halving it repeatedly with Half, and returns part k. The bits of k,
// starting with the highest, select the half to take each time. ok is false if the part has no elements.
func (p Part) cutByHalves(k, halvings int) (part Part, ok bool) {
	for bit := halvings - 1; bit >= 0; bit-- {
		if p.size() < 2 {
			if k>>bit&1 == 1 {
				return p, false // half 0 contains the only element
			}
			continue
		}
		p = p.Half(k >> bit & 1)
	}
	return p, true
}

// halvings returns how often to halve p until the pages of each part have at most the given number of bytes.
func (p Part) halvings(bytes int) (n int) {
	for ; p.bytesOnPages() > bytes && p.size() > 1; p = p.Half(1) { // half 1 is no smaller than half 0
		n++
	}
	return n
}

// cut divides p into parts that follow each other in C order, and returns part k. n is the requested number of parts;
// countParts returns the actual number.
func (p Part) cut(k, n int) Part {
	return p.derive(func(lay index.Layout) (index.Layout, int, error) { return cutLayout(lay, k, n) })
}

// cutLayout divides a layout into parts that follow each other in C order, and returns part k and the offset of its
// first element. n is the requested number of parts; countParts returns the actual number.
func cutLayout(lay index.Layout, k, n int) (part index.Layout, off int, err error) {
	outer, cuts, axis := cutAxis(lay, n)
	if lay.NDim() == 0 {
		return lay, 0, nil
	}
	at := k / cuts // the position among the indices of the outer axes
	for range axis {
		outer /= lay.Len(0)
		i, o := 0, 0
		i, at = at/outer, at%outer
		lay, o = lay.Index(i)
		off += o
	}
	length := lay.Len(0)
	k %= cuts
	part, start, err := lay.Select(index.Range(strided.Bound(length, k, cuts), strided.Bound(length, k+1, cuts)))
	return part, off + start, err
}

// countParts returns the number of parts that cutLayout makes if n are requested: 0 if there are no elements.
func countParts(lay index.Layout, n int) int {
	if lay.Size() == 0 {
		return 0
	}
	outer, cuts, _ := cutAxis(lay, n)
	return outer * cuts
}

// cutAxis chooses how to cut a layout into about n parts that follow each other in C order. It returns the number of
// index tuples of the axes before the axis to cut, the number of parts into which to cut that axis, and the axis, which
// is the first one that is long enough. Each index tuple has parts of its own. For shape (3, 100) and n = 10, cutAxis
// returns 3, 4 and 1: 12 parts of 25 elements.
func cutAxis(lay index.Layout, n int) (outer, cuts, axis int) {
	outer = 1
	for axis = range lay.NDim() {
		length := lay.Len(axis)
		if length >= n || axis == lay.NDim()-1 {
			return outer, min(length, n), axis
		}
		outer *= length
		n = 1 + (n-1)/length
	}
	return 1, 1, 0
}

// hasCrossedOrders reports whether p cannot be cut into n parts in memory order, because the views lie in memory in
// different orders. The axes of the first view are in memory order.
func (p *Part) hasCrossedOrders(n int) bool {
	for k := 1; k < len(p.Views); k++ {
		if lay := p.Views[k].Layout; isTransposed(p.Views[0].Layout, lay) || n > 1 && !isOrdered(lay) {
			return true
		}
	}
	return false
}

// IsSorted reports whether C order is the memory order of lay and no stride is negative. It returns false if no axis
// has several indices.
func IsSorted(lay index.Layout) bool {
	last := -1
	for axis := lay.NDim() - 1; axis >= 0; axis-- {
		if lay.Len(axis) > 1 {
			if lay.Stride(axis) < max(0, last) {
				return false
			}
			last = lay.Stride(axis)
		}
	}
	return last >= 0
}

// isOrdered reports whether C order is the memory order of lay, regardless of the signs of its strides.
func isOrdered(lay index.Layout) bool {
	last := 0
	for axis := lay.NDim() - 1; axis >= 0; axis-- {
		if s := abs(lay.Stride(axis)); lay.Len(axis) > 1 && s > 0 {
			if s < last {
				return false
			}
			last = s
		}
	}
	return true
}

// isTransposed reports whether the axis with the shortest stride in dst has a longer stride in src than another axis.
// The axes of dst are in memory order.
func isTransposed(dst, src index.Layout) bool {
	inner := 0
	for axis := dst.NDim() - 1; axis >= 0; axis-- {
		switch s := abs(src.Stride(axis)); {
		case src.Len(axis) < 2:
		case inner == 0:
			inner = s
		case s > 0 && s < inner:
			return true
		}
	}
	return false
}

// axisToHalve returns the axis along which to halve views of more than one element: the axis with the longest stride in
// the first view, except the fastest axis of each view. If only these are left, it returns the longest of them.
func (p *Part) axisToHalve() int {
	first, far, fastest := p.Views[0].Layout, -1, make([]int, len(p.Views))
	for k := range p.Views {
		fastest[k] = fastestAxis(p.Views[k].Layout)
	}
	for axis := range first.NDim() {
		if !slices.Contains(fastest, axis) && first.Len(axis) > 1 && (far < 0 ||
			abs(first.Stride(axis)) > abs(first.Stride(far))) {
			far = axis
		}
	}
	for _, axis := range fastest {
		if far < 0 || slices.Contains(fastest, far) && axis >= 0 && first.Len(axis) > first.Len(far) {
			far = axis
		}
	}
	return far
}

// fastestAxis returns the axis with the shortest stride among the axes with several indices and a stride other than 0,
// and -1 if no such axis exists.
func fastestAxis(lay index.Layout) int {
	best := -1
	for axis := range lay.NDim() {
		if s := abs(lay.Stride(axis)); lay.Len(axis) > 1 && s > 0 && (best < 0 || s < abs(lay.Stride(best))) {
			best = axis
		}
	}
	return best
}
