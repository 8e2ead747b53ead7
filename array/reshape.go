package array

import (
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
)

// Here are the methods that make one view of another. All of them share the
// memory and allocate no more than the new layout; see the methods of
// index.Layout, which do the same with nothing but the numbers, for what they
// accept. Each is on Array, and on View with its type.

// arrayOf returns c as an Array, and err.
func arrayOf(c nd.View, err error) (Array, error) { return Array{shaped{c}}, err }

// T returns a with its axes reversed; of a matrix that is the transpose.
func (a Array) T() Array { return nd.Must(a.Transpose()) }

// T returns v with its axes reversed; see [Array.T].
func (v View[T]) T() View[T] { return nd.Must(v.Transpose()) }

// Transpose returns a with its axes in another order: axis k is axis axes[k] of a. Negative axes count from the end;
// without axes it reverses them.
func (a Array) Transpose(axes ...int) (Array, error) {
	return arrayOf(a.view.Relayout(a.Layout().Transpose(axes...)))
}

// Transpose returns v with its axes in another order; see [Array.Transpose].
func (v View[T]) Transpose(axes ...int) (View[T], error) {
	c, err := v.view.Relayout(v.Layout().Transpose(axes...))
	return View[T]{shaped: shaped{c}}, err
}

// Reshape returns a with another shape and the same elements in C order, in the same memory; one length may be -1 and
// is computed. The error wraps [ErrShape] if the shape has another number of elements, and [ErrCopy] if they would
// have to lie elsewhere: Clone first.
func (a Array) Reshape(shape ...int) (Array, error) {
	return arrayOf(a.view.Reshape(shape))
}

// Reshape returns v with another shape; see [Array.Reshape].
func (v View[T]) Reshape(shape ...int) (View[T], error) {
	c, err := v.view.Reshape(shape)
	return View[T]{shaped: shaped{c}}, err
}

// Ravel returns a with one axis, its elements in C order; see [Array.Reshape].
func (a Array) Ravel() (Array, error) { return a.Reshape(-1) }

// Ravel returns v with one axis, its elements in C order; see [Array.Reshape].
func (v View[T]) Ravel() (View[T], error) { return v.Reshape(-1) }

// Broadcast returns a stretched to a shape, by NumPy's rules. It is read-only, since several of its elements are one
// in memory. The error wraps [ErrShape] if a does not stretch to the shape.
func (a Array) Broadcast(shape ...int) (Array, error) {
	b, err := a.view.Broadcast(shape)
	return Array{shaped{b}}, err
}

// Broadcast returns v stretched to a shape; see [Array.Broadcast].
func (v View[T]) Broadcast(shape ...int) (View[T], error) {
	c, err := v.view.Broadcast(shape)
	return View[T]{shaped: shaped{c}}, err
}

// Squeeze returns a without the axes named, which must have length 1, or without all such axes if none is named.
// Negative axes count from the end.
func (a Array) Squeeze(axes ...int) (Array, error) {
	return arrayOf(a.view.Relayout(a.Layout().Squeeze(axes...)))
}

// Squeeze returns v without axes of length 1; see [Array.Squeeze].
func (v View[T]) Squeeze(axes ...int) (View[T], error) {
	c, err := v.view.Relayout(v.Layout().Squeeze(axes...))
	return View[T]{shaped: shaped{c}}, err
}

// ExpandDims returns a with an axis of length 1 more, which becomes axis number axis of the result; negative ones
// count from its end.
func (a Array) ExpandDims(axis int) (Array, error) {
	return arrayOf(a.view.Relayout(a.Layout().ExpandDims(axis)))
}

// ExpandDims returns v with an axis of length 1 more; see [Array.ExpandDims].
func (v View[T]) ExpandDims(axis int) (View[T], error) {
	c, err := v.view.Relayout(v.Layout().ExpandDims(axis))
	return View[T]{shaped: shaped{c}}, err
}

// MoveAxis returns a with axis src moved to be axis dst; the others keep their order. Negative axes count from the
// end. The error is a *[index.BoundsError].
func (a Array) MoveAxis(src, dst int) (Array, error) {
	return arrayOf(a.view.Relayout(a.Layout().MoveAxis(src, dst)))
}

// MoveAxis returns v with axis src moved to be axis dst; see [Array.MoveAxis].
func (v View[T]) MoveAxis(src, dst int) (View[T], error) {
	c, err := v.view.Relayout(v.Layout().MoveAxis(src, dst))
	return View[T]{shaped: shaped{c}}, err
}

// Diagonal returns the elements of a whose index in axis2 is that in axis1 plus offset, along a last axis in place of
// the two. It is writable.
func (a Array) Diagonal(offset, axis1, axis2 int) (Array, error) {
	c, err := a.view.Derive(a.Layout().Diagonal(offset, axis1, axis2))
	return Array{shaped{c}}, err
}

// Diagonal returns the elements of v on a diagonal; see [Array.Diagonal].
func (v View[T]) Diagonal(offset, axis1, axis2 int) (View[T], error) {
	c, err := v.view.Derive(v.Layout().Diagonal(offset, axis1, axis2))
	return View[T]{shaped: shaped{c}}, err
}

// Axis iterates over the parts of a along an axis, as [Array.Index] returns them. A negative axis counts from the
// end; one that a does not have panics.
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

// Axis iterates over the parts of v along an axis; see [Array.Axis].
func (v View[T]) Axis(axis int) iter.Seq2[int, View[T]] {
	return func(yield func(int, View[T]) bool) {
		moved := nd.Must(v.MoveAxis(axis, 0))
		for i := range moved.view.Layout.Len(0) {
			if !yield(i, moved.Index(i)) {
				return
			}
		}
	}
}

// Split cuts v, for n goroutines, into at most n views that together have each of its elements once: along the first
// axis of length n or more, else along the longest, as np.array_split does. To have whole rows take min(n, v.Len(0)).
// It panics if n is less than 1.
func (v View[T]) Split(n int) []View[T] {
	if n < 1 {
		panic("array: Split into less than 1 part")
	}
	v.view.MustBeSet()
	longest := -1
	for axis := range v.view.Layout.NDim() {
		if longest < 0 || v.view.Layout.Len(axis) > v.view.Layout.Len(longest) {
			longest = axis
		}
		if v.view.Layout.Len(axis) >= n {
			longest = axis
			break
		}
	}
	if longest < 0 || v.view.Layout.Len(longest) == 0 {
		return []View[T]{v}
	}
	length := v.view.Layout.Len(longest)
	parts := make([]View[T], min(n, length))
	sel := make([]index.Selector, longest+1) // colons, and last the part
	end := 0
	for k := range parts {
		start := end
		if end += length / len(parts); k < length%len(parts) { // the first ones are larger, as those of np.array_split
			end++
		}
		sel[longest] = index.Range(start, end)
		parts[k] = nd.Must(v.Select(sel...))
	}
	return parts
}
