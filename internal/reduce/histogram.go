package reduce

import (
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// CountBetween returns the number of elements of c between each two edges that follow each other, as array.Histogram
// does. report, if not nil, is called with the number of bytes that have been counted since its last call.
func CountBetween(c nd.Array, edges []float64, report func(bytes int) error) ([]int64, error) {
	b, count := newBins(edges), binCounter(c.Store.Value)
	all, err := nd.ForBlocks(c, func() []int64 { return make([]int64, len(edges)+1) }, func(counts []int64,
		block strided.Pointer,
		n int) []int64 {
		count(b, counts, block, n)
		return counts
	}, report)
	if err != nil {
		return nil, err
	}
	counts := make([]int64, len(edges)-1)
	for _, part := range all {
		for i := range counts {
			counts[i] += part[i+1]
		}
	}
	return counts, nil
}

// binCounter returns countBins for numbers of dtype d, which Go has a type for that it calculates with.
func binCounter(d dtype.DType) func(b *bins, counts []int64, p strided.Pointer, n int) {
	size := d.ItemSize()
	switch kind := d.Kind(); {
	case kind == dtype.KindFloat && size == 4:
		return countBins[float32]
	case kind == dtype.KindFloat:
		return countBins[float64]
	case kind == dtype.KindInt && size == 1:
		return countBins[int8]
	case kind == dtype.KindInt && size == 2:
		return countBins[int16]
	case kind == dtype.KindInt && size == 4:
		return countBins[int32]
	case kind == dtype.KindInt:
		return countBins[int64]
	case size == 1: // or bool
		return countBins[uint8]
	case size == 2:
		return countBins[uint16]
	case size == 4:
		return countBins[uint32]
	}
	return countBins[uint64]
}

// bins finds the place of a number among edges. A number is first mapped to a cell, by a
// function that never descends; then only the edges in the same cell are left to compare with,
// which are mostly none.
type bins struct {
	edges      []float64 // and NaN
	low, scale float64   // the cell of x is (x-low)*scale, cut to those there are
	most       float64   // the last cell
	first      []int32   // for each cell, how many edges are in cells before it
}

const (
	cellsEach = 8
	manyCells = 1 << 16
)

func newBins(edges []float64) *bins {
	last := len(edges) - 1
	b := &bins{edges: append(slices.Clone(edges), math.NaN()), low: edges[0]}
	high := edges[last]
	for _, e := range edges { // from the least to the greatest that is finite, if one is
		if e-e == 0 {
			b.low = e
			break
		}
	}
	for _, e := range slices.Backward(edges) {
		if e-e == 0 {
			high = e
			break
		}
	}
	cells := min(cellsEach*len(edges), manyCells)
	b.most = float64(cells - 1)
	b.scale = b.most / math.Abs(high-b.low) // -0.0 - 0.0 is -0.0
	b.first = make([]int32, cells+1)
	for _, e := range edges {
		b.first[b.cell(e)+1]++
	}
	for c := range cells {
		b.first[c+1] += b.first[c]
	}
	return b
}

// cell never descends, also where there is no finite number to cut: NaN, of an overflow times
// 0, say, is in the first cell, and so is all else then.
func (b *bins) cell(x float64) int {
	c := (x - b.low) * b.scale
	if c > b.most {
		c = b.most
	}
	if !(c > 0) {
		return 0
	}
	return int(c)
}

// countBins counts numbers in counts[i+1] for bin i, and those of none in the first or the last.
func countBins[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](b *bins,
	counts []int64, p strided.Pointer, n int) {
	last := len(b.edges) - 2
	for _, number := range strided.Slice[T](p, n) {
		x := float64(number)
		c := b.cell(x)
		i := int(b.first[c]) // edges that are at most x
		if b.edges[i] <= x { // in the same cell
			i = b.search(i+1, int(b.first[c+1]), x)
		}
		if x == b.edges[last] { // which is in the last bin
			i = last
		}
		counts[i]++
	}
}

// search returns how many edges are at most x, from lo up to hi.
func (b *bins) search(lo, hi int, x float64) int {
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); b.edges[mid] <= x {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}
