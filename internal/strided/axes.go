package strided

import (
	"cmp"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// An axis is one axis of two layouts that are walked together. It has a stride in each layout; for a walk through one
// layout, SS is 0.
type axis = elem.Axis

// pairAxes appends the axes of two layouts of the same shape to axes, in the memory order of dst, and merges them: see
// prepare. The first elements in that order are doff and soff bytes from the first elements of dst and src.
func pairAxes(axes []axis, dst, src index.Layout) (_ []axis, doff, soff int) {
	for k := range dst.NDim() {
		d := dst.Dim(k)
		axes = append(axes, axis{N: d.Len, DS: d.Stride, SS: src.Stride(k)})
	}
	return mergeAxes(axes, true)
}

// layoutAxes appends the axes of one layout in the order C, F or K to axes, and merges them: see mergeAxes. The first
// element in that order is off bytes from the first element of lay.
func layoutAxes(axes []axis, lay index.Layout, order index.Order) (_ []axis, off int) {
	for k := range lay.NDim() {
		if order == index.F {
			k = lay.NDim() - 1 - k
		}
		d := lay.Dim(k)
		axes = append(axes, axis{N: d.Len, DS: d.Stride})
	}
	axes, off, _ = mergeAxes(axes, order == index.K)
	return axes, off
}

// mergeAxes drops axes of length 1 and merges axes that continue each other, in place. If sort is true, it first puts
// the axes in memory order: it reverses axes with a negative DS, and sorts the axes by descending DS. This moves the
// first elements by doff and soff bytes. At least one axis remains; it has length 0 if there are no elements.
func mergeAxes(axes []axis, sort bool) (_ []axis, doff, soff int) {
	kept := axes[:0]
	for _, a := range axes {
		switch {
		case a.N == 0:
			return append(axes[:0], axis{N: 0}), 0, 0
		case a.N == 1:
			continue
		case sort && a.DS < 0:
			doff += (a.N - 1) * a.DS
			soff += (a.N - 1) * a.SS
			a.DS, a.SS = -a.DS, -a.SS
		}
		kept = append(kept, a)
	}
	if sort && len(kept) > 1 {
		slices.SortStableFunc(kept, func(a, b axis) int {
			return cmp.Or(cmp.Compare(b.DS, a.DS), cmp.Compare(abs(b.SS), abs(a.SS)))
		})
	}
	return elem.Merge(kept), doff, soff
}

func abs(i int) int { return max(i, -i) }
