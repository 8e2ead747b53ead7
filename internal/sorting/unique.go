package sorting

import (
	"cmp"

	"github.com/ndmap/ndmap/internal/strided"
)

// Starts returns the indices in order at which an element differs from the element before it. order is the result of
// ArgSort. Complex numbers with NaN are equal, as in np.unique.
func Starts(p strided.Piece, keys *Keys, order []int) []int {
	n := len(order)
	parts := make([][]int, (n+partElements-1)/partElements)
	pass := strided.Pass{Parts: len(parts)}
	_ = pass.Run(func(k int, _ *strided.Failure) error {
		for i := strided.Bound(n, k, len(parts)); i < strided.Bound(n, k+1, len(parts)); i++ {
			if i == 0 || !keys.areSame(p, order[i-1], order[i]) {
				parts[k] = append(parts[k], i)
			}
		}
		return nil
	})
	total := 0
	for _, part := range parts {
		total += len(part)
	}
	starts := make([]int, 0, total)
	for _, part := range parts {
		starts = append(starts, part...)
	}
	return starts
}

// areSame reports whether the elements at positions i and j are the same for np.unique.
func (e *Keys) areSame(p strided.Piece, i, j int) bool {
	if e.rule == complexes && e.keyAt(p, i, 0) > 0 && e.keyAt(p, j, 0) > 0 {
		return true
	}
	return e.compare(p, i, j) == 0
}

// compare compares the keys of the elements at positions i and j.
func (e *Keys) compare(p strided.Piece, i, j int) (c int) {
	for column := 0; column < e.count && c == 0; column++ {
		c = cmp.Compare(e.keyAt(p, i, column), e.keyAt(p, j, column))
	}
	return c
}

// keyAt returns key number column of the element at a position.
func (e *Keys) keyAt(p strided.Piece, position, column int) uint64 {
	var key [1]uint64
	e.keys(key[:], nil, strided.Add(p.P, position*p.Layout.Stride(0)), 0, column)
	return key[0]
}
