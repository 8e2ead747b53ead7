package array

import (
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Axis iterates over the parts of a along an axis, as [Array.Index] returns them. A negative axis counts from the
// end; one that a does not have panics.
func (a Array) Axis(axis int) iter.Seq2[int, Array] {
	return func(yield func(int, Array) bool) {
		moved := must(a.MoveAxis(axis, 0))
		for i := range moved.view.lay.Len(0) {
			if !yield(i, moved.Index(i)) {
				return
			}
		}
	}
}

// Axis iterates over the parts of v along an axis; see [Array.Axis].
func (v View[T]) Axis(axis int) iter.Seq2[int, View[T]] {
	return func(yield func(int, View[T]) bool) {
		moved := must(v.MoveAxis(axis, 0))
		for i := range moved.view.lay.Len(0) {
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
	v.view.mustBeSet()
	longest := -1
	for axis := range v.view.lay.NDim() {
		if longest < 0 || v.view.lay.Len(axis) > v.view.lay.Len(longest) {
			longest = axis
		}
		if v.view.lay.Len(axis) >= n {
			longest = axis
			break
		}
	}
	if longest < 0 || v.view.lay.Len(longest) == 0 {
		return []View[T]{v}
	}
	length := v.view.lay.Len(longest)
	parts := make([]View[T], min(n, length))
	sel := make([]index.Selector, longest+1) // colons, and last the part
	end := 0
	for k := range parts {
		start := end
		if end += length / len(parts); k < length%len(parts) { // the first ones are larger, as those of np.array_split
			end++
		}
		sel[longest] = index.Range(start, end)
		parts[k] = must(v.Select(sel...))
	}
	return parts
}

// inMemoryOrder returns c with its axes in the order of their strides, all upwards.
func (c view) inMemoryOrder() view { return c.inOrderOf(c.lay) }

// inOrderOf returns c with its axes changed as those of lay, which has the same shape, for that
// to be in memory order.
func (c view) inOrderOf(lay index.Layout) view { return must(c.derive(orderOf(lay)(c.lay))) }

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
