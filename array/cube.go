package array

import (
	"iter"

	"github.com/ndmap/ndmap/internal/strided"
)

// A Cube is a View of three dimensions with At and Set that inline.
type Cube[T any] struct{ cube }

// Cube returns v as a Cube; the errors are those of [View.Vector].
func (v View[T]) Cube() (Cube[T], error) {
	w, err := checkFixed(&v.view, 3)
	if err != nil {
		return Cube[T]{}, err
	}
	d, e, f := v.view.Layout.Dim(0), v.view.Layout.Dim(1), v.view.Layout.Dim(2)
	return Cube[T]{cube{v.view.P, d.Len, e.Len, f.Len, d.Stride, e.Stride, f.Stride, w, v.view.Store}}, nil
}

// Dims returns the length of the three axes.
func (c *Cube[T]) Dims() (n0, n1, n2 int) { return c.n0, c.n1, c.n2 }

// At returns the element at i, j, k. It panics if one is out of range.
func (c *Cube[T]) At(i, j, k int) T {
	if uint(i) >= uint(c.n0) || uint(j) >= uint(c.n1) || uint(k) >= uint(c.n2) {
		panic(cubeIndex{c.cube, i, j, k})
	}
	return strided.Load[T](c.p, i*c.s0+j*c.s1+k*c.s2)
}

// Set sets the element at i, j, k. It panics as At, and if c is read-only.
func (c *Cube[T]) Set(i, j, k int, x T) {
	if uint(i) >= uint(c.w) || uint(j) >= uint(c.n1) || uint(k) >= uint(c.n2) {
		panic(cubeIndex{c.cube, i, j, k})
	}
	strided.Store(c.p, i*c.s0+j*c.s1+k*c.s2, x)
}

// Row returns the elements i, j, … along the last axis as [Matrix.Row] does. It panics if i or j is out of range.
func (c *Cube[T]) Row(i, j int) (row []T, ok bool) {
	if uint(i) >= uint(c.n0) || uint(j) >= uint(c.n1) {
		panic(cubeIndex{c.cube, i, j, 0})
	}
	return rowAt[T](c.p, i*c.s0+j*c.s1, c.n2, c.s2)
}

// Rows iterates over the rows along the last axis in C order as [Cube.Row] returns them. The error wraps
// [ErrNotDirect] where that has none.
func (c *Cube[T]) Rows() (iter.Seq[[]T], error) {
	if err := haveRows[T](c.el, c.n2, c.s2); err != nil {
		return nil, err
	}
	return func(yield func([]T) bool) {
		for i := range c.n0 {
			for j := range c.n1 {
				if row, _ := c.Row(i, j); !yield(row) {
					return
				}
			}
		}
	}, nil
}
