package nd

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Pair is the same part of two views.
type Pair struct {
	Dst, Src Array
	At       *Positions // of its elements; nil where nobody asks
}

// Positions say where elements of a tile are among all, in C order: the layout has that in place of bytes.
type Positions struct {
	Layout index.Layout
	first  int
}

// with returns t with what derives a layout, and where it starts, from a layout.
func (t Pair) with(derive func(index.Layout) (index.Layout, int, error)) Pair {
	u := Pair{Dst: Must(t.Dst.Derive(derive(t.Dst.Layout))), Src: Must(t.Src.Derive(derive(t.Src.Layout)))}
	if t.At != nil {
		lay, off, err := derive(t.At.Layout)
		u.At = &Positions{Must(lay, err), t.At.first + off}
	}
	return u
}

// inOrderOf is [view.inOrderOf] of both.
func (t Pair) inOrderOf(lay index.Layout) Pair { return t.with(orderOf(lay)) }

// cut is [view.cut] of both.
func (t Pair) cut(k, n int) Pair {
	return t.with(func(lay index.Layout) (index.Layout, int, error) { return cutLayout(lay, k, n) })
}

// half returns the first or the second half along an axis.
func (t Pair) half(axis, which int) Pair {
	return t.with(func(lay index.Layout) (index.Layout, int, error) { return halfLayout(lay, axis, which) })
}

// Position returns that of element i of t in the order of its axes.
func (t *Pair) Position(i int) int {
	at, lay := t.At.first, t.At.Layout
	for axis := lay.NDim() - 1; axis >= 0; axis-- {
		n := lay.Len(axis)
		at += i % n * lay.Stride(axis)
		i /= n
	}
	return at
}

// half returns the first or the second half of c along an axis.
func (c Array) half(axis, which int) Array { return Must(c.Derive(halfLayout(c.Layout, axis, which))) }

func halfLayout(lay index.Layout, axis, which int) (index.Layout, int, error) {
	sel := make([]index.Selector, axis+1) // colons
	n := lay.Len(axis)
	sel[axis] = index.Range(strided.Bound(n, which, 2), strided.Bound(n, which+1, 2))
	return lay.Select(sel...)
}
