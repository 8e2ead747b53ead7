package array

import (
	"fmt"
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
)

// The methods in this file return another view of the same memory. They allocate at most the new layout. Each exists
// for Array and for View, and accepts the same arguments as the index.Layout method of the same name.

// arrayOf returns c as an Array, and err.
func arrayOf(c nd.View, err error) (Array, error) { return Array{c}, err }

func init() { nd.ToArray = func(v nd.View) any { return Array{v} } }

// asView returns c as a View, and err.
func asView[T any](c nd.View, err error) (View[T], error) { return View[T]{view: c}, err }

// T returns a with its axes reversed: the transpose of a matrix. The result shares the memory of a.
func (a Array) T() Array { return nd.Must(a.Transpose()) }

// T returns v with its axes reversed; see [Array.T].
func (v View[T]) T() View[T] { return nd.Must(v.Transpose()) }

// Transpose returns a with its axes in another order, in the same memory: axis k of the result is axis axes[k] of a,
// which may be negative. Without axes it reverses the order. The arguments must contain each axis of a once.
func (a Array) Transpose(axes ...int) (Array, error) {
	return arrayOf(a.view.Relayout(a.Layout().Transpose(axes...)))
}

// Transpose returns v with its axes in another order; see [Array.Transpose].
func (v View[T]) Transpose(axes ...int) (View[T], error) {
	return asView[T](v.view.Relayout(v.Layout().Transpose(axes...)))
}

// Reshape returns the elements of a in C order with another shape, in the same memory. One length may be -1: it is
// computed. The error wraps [ErrShape] if the shape has another number of elements, and [ErrCopy] if no view of the
// memory has that shape: Clone a first.
func (a Array) Reshape(shape ...int) (Array, error) {
	return arrayOf(a.view.Reshape(shape))
}

// Reshape returns v with another shape; see [Array.Reshape].
func (v View[T]) Reshape(shape ...int) (View[T], error) {
	return asView[T](v.view.Reshape(shape))
}

// Ravel returns the elements of a in C order along one axis; see [Array.Reshape].
func (a Array) Ravel() (Array, error) { return a.Reshape(-1) }

// Ravel returns the elements of v in C order along one axis; see [Array.Reshape].
func (v View[T]) Ravel() (View[T], error) { return v.Reshape(-1) }

// Broadcast returns a broadcast to a shape by NumPy's rules, in the same memory. The result is read-only. The error
// wraps [ErrShape] if a cannot be broadcast to the shape.
func (a Array) Broadcast(shape ...int) (Array, error) {
	return arrayOf(a.view.Broadcast(shape))
}

// Broadcast returns v broadcast to a shape; see [Array.Broadcast].
func (v View[T]) Broadcast(shape ...int) (View[T], error) {
	return asView[T](v.view.Broadcast(shape))
}

// Squeeze returns a without the given axes, which must have length 1, in the same memory. Without arguments it removes
// all axes of length 1. Negative axes count from the end.
func (a Array) Squeeze(axes ...int) (Array, error) {
	return arrayOf(a.view.Relayout(a.Layout().Squeeze(axes...)))
}

// Squeeze returns v without axes of length 1; see [Array.Squeeze].
func (v View[T]) Squeeze(axes ...int) (View[T], error) {
	return asView[T](v.view.Relayout(v.Layout().Squeeze(axes...)))
}

// ExpandDims returns a with one more axis, of length 1, in the same memory. axis is the position of the new axis in the
// result. Negative numbers count from the end of the result.
func (a Array) ExpandDims(axis int) (Array, error) {
	return arrayOf(a.view.Relayout(a.Layout().ExpandDims(axis)))
}

// ExpandDims returns v with one more axis, of length 1; see [Array.ExpandDims].
func (v View[T]) ExpandDims(axis int) (View[T], error) {
	return asView[T](v.view.Relayout(v.Layout().ExpandDims(axis)))
}

// MoveAxis returns a with axis src moved to position dst, in the same memory. The other axes keep their order. Negative
// axes count from the end. The error is a *[index.BoundsError].
func (a Array) MoveAxis(src, dst int) (Array, error) {
	return arrayOf(a.view.Relayout(a.Layout().MoveAxis(src, dst)))
}

// MoveAxis returns v with axis src moved to position dst; see [Array.MoveAxis].
func (v View[T]) MoveAxis(src, dst int) (View[T], error) {
	return asView[T](v.view.Relayout(v.Layout().MoveAxis(src, dst)))
}

// Diagonal returns the elements of a whose index along axis2 is the index along axis1 plus offset, in the same memory.
// In the result, a last axis replaces the two axes. The result is writable if a is.
func (a Array) Diagonal(offset, axis1, axis2 int) (Array, error) {
	return arrayOf(a.view.Derive(a.Layout().Diagonal(offset, axis1, axis2)))
}

// Diagonal returns the elements of v on a diagonal; see [Array.Diagonal].
func (v View[T]) Diagonal(offset, axis1, axis2 int) (View[T], error) {
	return asView[T](v.view.Derive(v.Layout().Diagonal(offset, axis1, axis2)))
}

// Axis iterates over the indices of an axis, with the selection of a at each. A negative axis counts from the end. The
// loop panics with a *[index.BoundsError] if a does not have the axis.
func (a Array) Axis(axis int) iter.Seq2[int, Array] {
	return func(yield func(int, Array) bool) {
		moved := nd.Must(a.MoveAxis(axis, 0))
		for i := range moved.view.Layout.Len(0) {
			if !yield(i, moved.Index(i)) {
				return
			}
		}
	}
}

// Axis iterates over the indices of an axis, with the selection of v at each; see [Array.Axis].
func (v View[T]) Axis(axis int) iter.Seq2[int, View[T]] {
	return func(yield func(int, View[T]) bool) { // as in Array: a generic function for both takes twice the time
		moved := nd.Must(v.MoveAxis(axis, 0))
		for i := range moved.view.Layout.Len(0) {
			if !yield(i, moved.Index(i)) {
				return
			}
		}
	}
}

// Split cuts v into at most n views of the same memory, for n goroutines. Each element of v is in exactly one view.
// Split cuts along the first axis of length n or more, or else along the longest axis, at the positions that
// np.array_split chooses. For whole rows call Split(max(1, min(n, v.Len(0)))). It panics with an error that wraps
// [ErrShape] if n is less than 1.
func (v View[T]) Split(n int) []View[T] {
	if n < 1 {
		panic(nd.Misuse(fmt.Sprintf("array: Split into %d parts; want at least 1", n), ErrShape))
	}
	axis, length := -1, 0
	for k, l := range v.Shape() {
		if l > length {
			axis, length = k, l
		}
		if length >= n {
			break
		}
	}
	if length == 0 {
		return []View[T]{v}
	}
	parts := make([]View[T], min(n, length))
	sel := make([]index.Selector, axis+1) // colons, and last the range of a part
	end := 0
	for k := range parts {
		start := end
		if end += length / len(parts); k < length%len(parts) { // the first parts are longer, as with np.array_split
			end++
		}
		sel[axis] = index.Range(start, end)
		parts[k] = nd.Must(v.Select(sel...))
	}
	return parts
}
