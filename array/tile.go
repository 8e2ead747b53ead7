package array

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A tile is the same part of two views.
type tile struct {
	dst, src view
	at       *positions // of its elements; nil where nobody asks
}

// positions say where elements of a tile are among all, in C order: the layout has that in place of bytes.
type positions struct {
	lay   index.Layout
	first int
}

// with returns t with what derives a layout, and where it starts, from a layout.
func (t tile) with(derive func(index.Layout) (index.Layout, int, error)) tile {
	u := tile{dst: must(t.dst.derive(derive(t.dst.lay))), src: must(t.src.derive(derive(t.src.lay)))}
	if t.at != nil {
		lay, off, err := derive(t.at.lay)
		u.at = &positions{must(lay, err), t.at.first + off}
	}
	return u
}

// inOrderOf is [view.inOrderOf] of both.
func (t tile) inOrderOf(lay index.Layout) tile { return t.with(orderOf(lay)) }

// cut is [view.cut] of both.
func (t tile) cut(k, n int) tile {
	return t.with(func(lay index.Layout) (index.Layout, int, error) { return cutLayout(lay, k, n) })
}

// half returns the first or the second half along an axis.
func (t tile) half(axis, which int) tile {
	return t.with(func(lay index.Layout) (index.Layout, int, error) { return halfLayout(lay, axis, which) })
}

// position returns that of element i of t in the order of its axes.
func (t *tile) position(i int) int {
	at, lay := t.at.first, t.at.lay
	for axis := lay.NDim() - 1; axis >= 0; axis-- {
		n := lay.Len(axis)
		at += i % n * lay.Stride(axis)
		i /= n
	}
	return at
}

// half returns the first or the second half of c along an axis.
func (c view) half(axis, which int) view { return must(c.derive(halfLayout(c.lay, axis, which))) }

func halfLayout(lay index.Layout, axis, which int) (index.Layout, int, error) {
	sel := make([]index.Selector, axis+1) // colons
	n := lay.Len(axis)
	sel[axis] = index.Range(strided.Bound(n, which, 2), strided.Bound(n, which+1, 2))
	return lay.Select(sel...)
}
