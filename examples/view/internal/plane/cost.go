package plane

import (
	"context"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// What a tile or a line may read, in runs of pages: each costs a fault, and a read from the disk
// if it is not in memory. Pages that follow one another cost less.
const (
	pageBytes = 4096
	nextPages = 2 // so many that follow cost as much as one elsewhere
)

// A budget is how much may be read for one answer.
type budget struct{ cost, elements int }

func budgetOf(refine bool) budget {
	if refine {
		return budget{72 << 10, 64 << 20} // a page for each pixel of a tile is 64 << 10
	}
	return budget{4 << 10, 16 << 20}
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

// runs returns what the elements of these dimensions are in the memory: from the smallest stride
// on, dimensions make one run of bytes as long as their steps are within a page of it, and
// the others repeat that, the one with the largest stride first.
func runs(dims []index.Dim, itemSize int) (run int, repeated []index.Dim) {
	sorted := slices.Clone(dims)
	slices.SortFunc(sorted, func(a, b index.Dim) int { return a.Stride - b.Stride })
	run = itemSize
	for _, d := range sorted {
		if d.Len <= 1 {
			continue
		}
		if len(repeated) == 0 && d.Stride <= run+pageBytes {
			run += (d.Len - 1) * d.Stride
		} else {
			repeated = append(repeated, d)
		}
	}
	slices.Reverse(repeated)
	return run, repeated
}

// cost returns what it takes to read the elements of these dimensions, which are not empty; what is
// more than any budget as a large number.
func cost(dims []index.Dim, itemSize int) int {
	const most = 1 << 30
	run, repeated := runs(dims, itemSize)
	n := 1 + run/pageBytes/nextPages
	for _, d := range repeated {
		if n > most/d.Len {
			return most
		}
		n *= d.Len
	}
	return n
}

// fetchBytes is how much is asked for at a time: Linux drops the rest of what is more than its limit
// of reading ahead, which is this at least.
const fetchBytes = 128 << 10

// fetch has the system begin to read the elements of these dimensions, from byte off on, all at once:
// a disk is many times faster when it has many pages to read than with one fault after the other.
// These are hints, so errors are ignored.
func fetch(ctx context.Context, m *mmap.Map, off int, dims []index.Dim, itemSize int) {
	run, repeated := runs(dims, itemSize)
	var walk func(off int, repeated []index.Dim)
	walk = func(off int, repeated []index.Dim) {
		if len(repeated) > 0 {
			for k := 0; k < repeated[0].Len && ctx.Err() == nil; k++ {
				walk(off+k*repeated[0].Stride, repeated[1:])
			}
			return
		}
		for k := 0; k < run; k += fetchBytes {
			m.Advise(off+k, min(fetchBytes, run-k), mmap.WillNeed)
		}
	}
	walk(off, repeated)
}
