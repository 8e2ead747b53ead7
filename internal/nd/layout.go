package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

func Must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func (c Array) Reshape(shape []int) (Array, error) {
	c.MustBeSet()
	r, err := c.Relayout(c.Layout.Reshape(shape, c.ItemSize()))
	if err == nil && !r.Store.IsWhole() {
		if r, err = r.MustNotStraddle(); err != nil {
			return r, fmt.Errorf("%s%w", Prefix(c.Store.Mem.Path), err)
		}
	}
	return r, err
}

func (c Array) Broadcast(shape []int) (Array, error) {
	c.MustBeSet()
	lay, err := c.Layout.Broadcast(shape...)
	if err == nil {
		_, _, err = index.Size(shape, c.ItemSize()) // NBytes must fit an int
	}
	c, err = c.Derive(lay, 0, err)
	if err == nil {
		c.Write = NoWrite
	}
	return c, err
}

// Relayout is c with a layout made of its own that starts at the same element.
func (c Array) Relayout(lay index.Layout, err error) (Array, error) { return c.Derive(lay, 0, err) }

// SelectRange returns n indices along an axis, from i on.
func SelectRange(lay index.Layout, axis, i, n int) (index.Layout, int, error) {
	sel := make([]index.Selector, axis+1) // colons
	sel[axis] = index.Range(i, i+n)
	return lay.Select(sel...)
}

// AtAxis returns c at position i of an axis.
func (c *Array) AtAxis(axis, i int) Array {
	sel := make([]index.Selector, axis+1) // colons
	sel[axis] = index.At(i)
	return Must(c.Derive(c.Layout.Select(sel...)))
}

// InMemoryOrder returns c with its axes in the order of their strides, all upwards.
func (c Array) InMemoryOrder() Array { return c.inOrderOf(c.Layout) }

// inOrderOf returns c with its axes changed as those of lay, which has the same shape, for that
// to be in memory order.
func (c Array) inOrderOf(lay index.Layout) Array { return Must(c.Derive(orderOf(lay)(c.Layout))) }

// orderOf returns what changes the axes of a layout so, and returns where its first element is then.
func orderOf(lay index.Layout) func(index.Layout) (index.Layout, int, error) {
	axes := strided.AxesByStride(lay)
	sel := make([]index.Selector, len(axes))
	for k, axis := range axes {
		if lay.Stride(axis) < 0 {
			sel[k] = index.Step(index.Omit, index.Omit, -1)
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

func abs(i int) int { return max(i, -i) }

// Raw returns c with its elements as bytes, which is how it is read.
func (c Array) Raw() Array {
	return Must(c.Retype(func(c Array) (Array, error) {
		with := *c.Store
		with.Size, with.Converts = with.DType.ItemSize(), false
		with.Decode = elem.Repeat(with.Size)
		c.Store, c.Read, c.Write = &with, InPlace, NoWrite
		return c, nil
	}))
}

// BroadcastBoth returns two views with the shape that both broadcast to.
func BroadcastBoth(a, b Array) (Array, Array, error) {
	shape, other := a.Shape(), b.Shape()
	if len(shape) < len(other) {
		shape, other = other, shape
	}
	for k, n := range other {
		if at := len(shape) - len(other) + k; shape[at] == 1 {
			shape[at] = n
		}
	}
	x, err := a.Broadcast(shape)
	if err != nil {
		return a, b, err
	}
	y, err := b.Broadcast(shape)
	return x, y, err
}
