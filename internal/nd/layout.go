package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Relayout returns a with layout lay, which starts at the same element. The arguments are the results of a method of
// a.Layout; if err is not nil, Relayout returns err with the name of the file.
func (a View) Relayout(lay index.Layout, err error) (View, error) { return a.Derive(lay, 0, err) }

// Reshape returns the elements of a, in C order, with another shape. The error wraps ErrCopy if no strides describe the
// result, or if one index of a joined array would be in two of its members.
func (a View) Reshape(shape []int) (View, error) {
	a.MustBeSet()
	r, err := a.Relayout(a.Layout.Reshape(shape, a.ItemSize()))
	if err != nil {
		return r, err
	}
	if err := r.checkStraddle(); err != nil {
		return r, fmt.Errorf("%s%w", Prefix(a.Store.Mem.Path), err)
	}
	return r, nil
}

// Broadcast returns a read-only array of the given shape that repeats the elements of a.
func (a View) Broadcast(shape []int) (View, error) {
	a.MustBeSet()
	lay, err := a.Layout.Broadcast(shape...)
	if err == nil {
		_, _, err = index.Size(shape, a.ItemSize()) // NBytes must fit an int
	}
	a, err = a.Derive(lay, 0, err)
	if err == nil {
		a.Write = NoWrite
	}
	return a, err
}

// BroadcastBoth broadcasts a and b to their common shape.
func BroadcastBoth(a, b View) (View, View, error) {
	long, short := a.Shape(), b.Shape()
	if len(long) < len(short) {
		long, short = short, long
	}
	for k, n := range short {
		if axis := len(long) - len(short) + k; long[axis] == 1 {
			long[axis] = n
		}
	}
	x, err := a.Broadcast(long)
	if err != nil {
		return a, b, err
	}
	y, err := b.Broadcast(long)
	return x, y, err
}

// InMemoryOrder returns a with its axes sorted by the size of their strides, the largest first, and with axes of
// negative stride reversed.
func (a View) InMemoryOrder() View { return Must(a.Derive(memoryOrderOf(a.Layout)(a.Layout))) }

// memoryOrderOf returns a function that sorts and reverses the axes of a layout in the way that brings lay into
// memory order. The function also returns the offset of the first element of its result, as index.Layout.Select does.
func memoryOrderOf(lay index.Layout) func(index.Layout) (index.Layout, int, error) {
	axes := strided.AxesByStride(lay)
	sel := make([]index.Selector, len(axes))
	for k, axis := range axes {
		if lay.Stride(axis) < 0 {
			sel[k] = index.Reverse()
		}
	}
	return func(lay index.Layout) (index.Layout, int, error) {
		sorted, err := lay.Transpose(axes...)
		if err != nil {
			return lay, 0, err
		}
		return sorted.Select(sel...)
	}
}

// FileOrder returns the order, C or F, in which to write a to a file. Like in numpy.save, order K means F if a is F
// contiguous but not C contiguous, and otherwise C.
func (a View) FileOrder(order index.Order) index.Order {
	a.MustBeSet()
	if order != index.K {
		return order
	}
	if a.layoutIsContiguous(index.F) && !a.layoutIsContiguous(index.C) {
		return index.F
	}
	return index.C
}

func abs(i int) int { return max(i, -i) }
