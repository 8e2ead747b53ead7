package array

import "github.com/ndmap/ndmap/internal/strided"

// A Vector is a View of one dimension with At and Set that inline.
type Vector[T any] struct{ vector }

// Vector returns v as a Vector. The error wraps [ErrShape] if v has other than one dimension, and [ErrNotDirect] as
// that of [View.Data].
func (v View[T]) Vector() (Vector[T], error) {
	w, err := checkFixed(&v.view, 1)
	if err != nil {
		return Vector[T]{}, err
	}
	d := v.view.Layout.Dim(0)
	return Vector[T]{vector{v.view.P, d.Len, d.Stride, w, v.view.Store}}, nil
}

// Len returns the number of elements.
func (v *Vector[T]) Len() int { return v.n }

// At returns the element at i. It panics if i is out of range.
func (v *Vector[T]) At(i int) T {
	if uint(i) >= uint(v.n) {
		panic(vectorIndex{v.vector, i})
	}
	return strided.Load[T](v.p, i*v.s)
}

// Set sets the element at i to x. It panics as At, and if v is read-only.
func (v *Vector[T]) Set(i int, x T) {
	if uint(i) >= uint(v.w) {
		panic(vectorIndex{v.vector, i})
	}
	strided.Store(v.p, i*v.s, x)
}

// Data returns the memory of v as a slice; see [View.Data]. The error wraps [ErrNotDirect] if the elements do not
// follow one another.
func (v *Vector[T]) Data() ([]T, error) {
	if err := haveRows[T](v.el, v.n, v.s); err != nil {
		return nil, err
	}
	return strided.Slice[T](v.p, v.n), nil
}
