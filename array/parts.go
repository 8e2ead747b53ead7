package array

import (
	"iter"

	"github.com/ndmap/ndmap/index"
)

// Axis iterates over the parts of a along an axis: part i is a at position i of
// it, with one dimension less. A negative axis counts from the end; one that a
// does not have panics.
func (a Array) Axis(axis int) iter.Seq2[int, Array] {
	return func(yield func(int, Array) bool) {
		moved := must(a.MoveAxis(axis, 0))
		for i := range moved.lay.Len(0) {
			if !yield(i, moved.Index(i)) {
				return
			}
		}
	}
}

// Axis iterates over the parts of v along an axis: part i is v at position i of
// it, with one dimension less. A negative axis counts from the end; one that v
// does not have panics. It allocates nothing per step.
func (v View[T]) Axis(axis int) iter.Seq2[int, View[T]] {
	return func(yield func(int, View[T]) bool) {
		moved := must(v.MoveAxis(axis, 0))
		for i := range moved.lay.Len(0) {
			if !yield(i, moved.Index(i)) {
				return
			}
		}
	}
}

// Split cuts v into at most n views that together have all its elements and none
// twice, for as many goroutines: along its first axis that is long enough, or the
// longest. It panics if n is less than 1.
func (v View[T]) Split(n int) []View[T] {
	if n < 1 {
		panic("array: Split into less than 1 part")
	}
	v.some()
	longest := -1
	for axis := range v.lay.NDim() {
		if longest < 0 || v.lay.Len(axis) > v.lay.Len(longest) {
			longest = axis
		}
		if v.lay.Len(axis) >= n {
			longest = axis
			break
		}
	}
	if longest < 0 || v.lay.Len(longest) == 0 {
		return []View[T]{v}
	}
	length := v.lay.Len(longest)
	parts := make([]View[T], min(n, length))
	sel := make([]index.Selector, longest+1) // colons, and last the part
	for k := range parts {
		sel[longest] = index.Range(bound(length, k, len(parts)), bound(length, k+1, len(parts)))
		parts[k] = must(v.Select(sel...))
	}
	return parts
}

// bound is where part k of n of a length starts. No product overflows.
func bound(length, k, n int) int { return length/n*k + min(k, length%n) }
