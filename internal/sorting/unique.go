package sorting

import (
	"cmp"
	"math"
	"slices"

	"github.com/ndmap/ndmap/internal/strided"
)

// Starts returns the indices in order at which an element differs from the element before it. order is the result of
// ArgSort. Complex numbers with NaN are equal, as in np.unique.
func Starts(p strided.Piece, keys *Keys, order []int) []int {
	n := len(order)
	parts := make([][]int, (n+partElements-1)/partElements)
	pass := strided.Pass{Parts: len(parts)}
	_ = pass.Run(func(k int, _ *strided.Failure) error {
		from, to := strided.Bound(n, k, len(parts)), strided.Bound(n, k+1, len(parts))
		if from == 0 {
			parts[k] = append(parts[k], 0)
			from++
		}
		for ; from < to; from += chunkElements {
			chunk := order[from-1 : min(from+chunkElements, to)]
			for i, isNew := range keys.changes(p, chunk) {
				if isNew {
					parts[k] = append(parts[k], from+i)
				}
			}
		}
		return nil
	})
	return slices.Concat(parts...)
}

// changes returns, for up to chunkElements+1 positions, whether the element at each position differs from the element
// at the next one.
func (e *Keys) changes(p strided.Piece, positions []int) (differ [chunkElements]bool) {
	var items, buf [chunkElements + 1]uint64
	var bothNaN [chunkElements]bool
	for i, position := range positions {
		items[i] = uint64(position)
	}
	keys := buf[:len(positions)]
	for column := range e.count {
		e.keys(keys, elements{items[:], p.P, p.Layout.Stride(0), math.MaxUint64}, column)
		for i, key := range keys[1:] {
			differ[i] = differ[i] || key != keys[i]
			bothNaN[i] = bothNaN[i] || e.rule == complexes && column == 0 && min(key, keys[i]) > 0
		}
	}
	for i, isNaN := range bothNaN {
		differ[i] = differ[i] && !isNaN
	}
	return differ
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
	e.keys(key[:], elements{p: strided.Add(p.P, position*p.Layout.Stride(0))}, column)
	return key[0]
}
