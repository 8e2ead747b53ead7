package plane

import (
	"slices"

	"github.com/ndmap/ndmap/index"
)

// What a tile or a line may read, in runs of pages: each costs a fault, and a read from the disk
// if it is not in memory. Pages that follow one another cost less.
const (
	pageBytes = 4096
	nextPages = 8 // so many that follow cost as much as one elsewhere
)

// A budget is how much may be read for one answer.
type budget struct{ cost, elements int }

func budgetOf(refine bool) budget {
	if refine {
		return budget{96 << 10, 64 << 20}
	}
	return budget{8 << 10, 32 << 20}
}

func (b budget) allows(dims []index.Dim, itemSize int) bool {
	elements := 1
	for _, d := range dims {
		if d.Len > 0 && elements > b.elements/d.Len {
			return false
		}
		elements *= d.Len
	}
	return cost(dims, itemSize) <= b.cost
}

// cost returns what it takes to read the elements of these dimensions, which are not empty: their
// strides say where in the file. From the smallest stride on, dimensions make one run of bytes as long
// as their steps are within a page of it; the others repeat that. What is more than an int is
// returned as a large one.
func cost(dims []index.Dim, itemSize int) int {
	const most = 1 << 30 // more than any budget
	sorted := slices.Clone(dims)
	for i := range sorted {
		sorted[i].Stride = max(sorted[i].Stride, -sorted[i].Stride)
	}
	slices.SortFunc(sorted, func(a, b index.Dim) int { return a.Stride - b.Stride })
	run, runs := itemSize, 1
	for _, d := range sorted {
		switch {
		case d.Len <= 1:
		case runs == 1 && d.Stride <= run+pageBytes:
			run += (d.Len - 1) * d.Stride
		case runs > most/d.Len:
			return most
		default:
			runs *= d.Len
		}
	}
	pages := 1 + run/pageBytes/nextPages
	if runs > most/pages {
		return most
	}
	return runs * pages
}
