package reduce

import (
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// cellsPerEdge is the number of cells for each edge. The total number is limited to maxCells.
	cellsPerEdge = 8

	// maxCells is the maximum number of cells.
	maxCells = 1 << 16
)

// CountBetween returns the number of elements of a between each pair of consecutive edges. The last bin includes its
// upper edge.
func CountBetween(a nd.View, edges []float64) ([]int64, error) {
	b, count := newBins(edges), binCounter(a.Store.Value)
	newCounts := func() []int64 { return make([]int64, len(edges)+1) }
	add := func(counts []int64, block strided.Pointer, n int) []int64 {
		count(b, counts, block, n)
		return counts
	}
	all, err := nd.ForBlocks(a, newCounts, add, nil)
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

// binCounter returns the instance of countBins for numbers of dtype d, which is the dtype of bool or of a Go integer or
// float.
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
	case size == 1: // uint8 or bool
		return countBins[uint8]
	case size == 2:
		return countBins[uint16]
	case size == 4:
		return countBins[uint32]
	}
	return countBins[uint64]
}

// bins finds the bin of a number. It divides the range of the edges into cells of equal width and maps a number to a
// cell, which takes one multiplication. Then it compares the number only with the edges in the same cell. Most cells
// have no edge.
type bins struct {
	edges      []float64 // the edges, and NaN after the last one
	low, scale float64   // x is in cell (x-low)*scale, limited to the range 0 to last
	last       float64   // index of the last cell
	first      []int32   // for each cell, the number of edges in the cells before it
}

// newBins returns the bins between edges. The cells cover the range of the finite edges.
func newBins(edges []float64) *bins {
	last := len(edges) - 1
	b := &bins{edges: append(slices.Clone(edges), math.NaN()), low: edges[0]}
	high := edges[last]
	for _, e := range edges { // e-e is 0 if e is finite
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
	cells := min(cellsPerEdge*len(edges), maxCells)
	b.last = float64(cells - 1)
	b.scale = b.last / math.Abs(high-b.low) // Abs because -0.0 - 0.0 is -0.0
	b.first = make([]int32, cells+1)
	for _, e := range edges {
		b.first[b.cell(e)+1]++
	}
	for c := range cells {
		b.first[c+1] += b.first[c]
	}
	return b
}

// cell returns the cell of x. The greater of two numbers is in the same cell or in a later one. That holds even if the
// product is NaN, because cell returns 0 for it. If the scale is 0, because the range of the edges overflows, or NaN,
// all numbers are in cell 0. If it is infinite, because all finite edges are equal, only x == b.low yields NaN, and
// smaller numbers are in cell 0, too.
func (b *bins) cell(x float64) int {
	c := (x - b.low) * b.scale
	if c > b.last {
		c = b.last
	}
	if !(c > 0) {
		return 0
	}
	return int(c)
}

// countBins counts the n numbers at p. It counts numbers in bin i in counts[i+1], NaN and numbers below the first edge
// in counts[0], and numbers above the last edge in counts[len(edges)].
func countBins[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64](b *bins,
	counts []int64, p strided.Pointer, n int) {
	last := len(b.edges) - 2
	for _, number := range strided.Slice[T](p, n) {
		x := float64(number)
		c := b.cell(x)
		i := int(b.first[c]) // number of edges that are at most x
		if b.edges[i] <= x { // an edge in the same cell is at most x, too
			i = b.search(i+1, int(b.first[c+1]), x)
		}
		if x == b.edges[last] { // the last bin includes its upper edge
			i = last
		}
		counts[i]++
	}
}

// search returns the number of edges that are at most x, which is between lo and hi.
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
