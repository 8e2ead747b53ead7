package array

import (
	"fmt"
	"iter"

	"github.com/ndmap/ndmap/internal/nd"
)

// Find iterates over the indices of the elements of v for which keep is true, in ascending order, as
// np.flatnonzero(keep(a)) does. v has one dimension; other views make it panic with an error that wraps [ErrShape],
// since [View.Take] takes indices of the first axis. So the rows of a table whose first column is positive are, of that
// column
//
//	table.Take(nil, slices.Collect(v.Find(func(x float64) bool { return x > 0 })))
//
// Of more dimensions, [View.Ravel] has a view of one, and [index.Unravel] the indices along each axis. Find reads
// ahead, and allocates, as Values does.
func (v View[T]) Find(keep func(T) bool) iter.Seq[int] {
	mustHaveOneAxis(&v.view)
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
func mustHaveOneAxis(c *nd.Array) {
	if n := c.NDim(); n != 1 {
		panic(fmt.Errorf("array: Find: %w: %d dimensions, want 1; Ravel has a view of one", ErrShape, n))
	}
}
