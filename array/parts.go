package array

import (
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
)

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
