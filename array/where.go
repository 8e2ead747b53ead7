package array

import "iter"

// Where iterates over the positions of the elements for which keep is true, in C order,
// counted from 0, as np.flatnonzero(keep(a)) does: not over elements, as np.where(mask, x, y), and
// not over the indices of each axis, which index.Unravel has of a position. Those of a view of one
// dimension are its indices, so that the elements are
//
//	v.Take(nil, slices.Collect(v.Where(keep)))
//
// and the rows of a table whose first column is between 0 and 1, if v is that column,
//
//	table.Take(nil, slices.Collect(v.Where(func(x float64) bool { return x >= 0 && x < 1 })))
//
// Where calls keep once for each element, in the goroutine of the loop. It allocates nothing
// and reads ahead of the loop, both as [View.Values] does.
func (v View[T]) Where(keep func(T) bool) iter.Seq[int] {
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
