package array

import (
	"fmt"
	"iter"
)

// Find iterates over the indices of the elements of v for which keep is true, in ascending
// order, as np.flatnonzero(keep(a)) does: not over elements, as np.where(mask, x, y). v has one
// dimension, and other views make Find panic with an error that wraps [ErrShape]: what [View.Take] takes are
// indices of the first axis, and a position in all of v would be another row. So the elements are
//
//	v.Take(nil, slices.Collect(v.Find(keep)))
//
// and the rows of a table whose first column is between 0 and 1, if v is that column,
//
//	table.Take(nil, slices.Collect(v.Find(func(x float64) bool { return x >= 0 && x < 1 })))
//
// Of a view of more dimensions, [View.Ravel] has one with its elements in C order, which Find and Take
// both go through, and [index.Unravel] the indices along each axis. Where that would be a
// copy, [View.All] is a loop that has them.
//
// Find calls keep once for each element, in the goroutine of the loop. It allocates nothing
// and reads ahead of the loop, both as [View.Values] does.
func (v View[T]) Find(keep func(T) bool) iter.Seq[int] {
	v.view.mustHaveOneAxis()
	return func(yield func(int) bool) {
		i := 0
		for x := range v.Values() {
			if keep(x) && !yield(i) {
				return
			}
			i++
		}
	}
}

// mustHaveOneAxis panics unless c has one dimension.
func (c *view) mustHaveOneAxis() {
	if n := c.NDim(); n != 1 {
		panic(fmt.Errorf("array: Find: %w: %d dimensions, want 1; Ravel has a view of one", ErrShape, n))
	}
}
