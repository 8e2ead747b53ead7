// Package pages tells which pages of a file some elements are on, and has them read together.
package pages

import (
	"context"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

const (
	pageBytes = 4096
	nextPages = 2 // so many that follow one another cost as much as one elsewhere

	// fetchBytes is how much is asked for at a time: Linux drops the rest of what is more than its
	// limit of reading ahead, which is this at least.
	fetchBytes = 128 << 10
)

// Dims returns the dimensions of a layout.
func Dims(l index.Layout) []index.Dim {
	dims := make([]index.Dim, l.NDim())
	for k := range dims {
		dims[k] = l.Dim(k)
	}
	return dims
}

// runs returns what the elements of these dimensions are in the memory: from the smallest stride
// on, dimensions make one run of bytes as long as their steps are within a page of it, and
// the others repeat that, the one with the largest stride first. Strides are not negative.
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

// MaxCost is what Cost returns of what is more than that.
const MaxCost = 1 << 30

// Cost returns what it takes to read the elements of these dimensions, which are not empty: one for
// each page elsewhere, and less for those that follow one another.
func Cost(dims []index.Dim, itemSize int) int {
	run, repeated := runs(dims, itemSize)
	n := min(MaxCost, 1+run/pageBytes/nextPages)
	for _, d := range repeated {
		if n > MaxCost/d.Len {
			return MaxCost
		}
		n *= d.Len
	}
	return n
}

// Fetch has the system begin to read the elements of these dimensions, from byte off of m on, all at
// once: a disk is many times faster when it has many pages to read than with one fault after the
// other. It stops when ctx is done. These are hints, so errors are ignored. A nil m has nothing to
// read.
func Fetch(ctx context.Context, m *mmap.Map, off int, dims []index.Dim, itemSize int) {
	if m == nil || slices.ContainsFunc(dims, func(d index.Dim) bool { return d.Len == 0 }) {
		return
	}
	run, repeated := runs(dims, itemSize)
	fetch(ctx, m, off, run, repeated)
}

func fetch(ctx context.Context, m *mmap.Map, off, run int, repeated []index.Dim) {
	if len(repeated) > 0 {
		for k := 0; k < repeated[0].Len && ctx.Err() == nil; k++ {
			fetch(ctx, m, off+k*repeated[0].Stride, run, repeated[1:])
		}
		return
	}
	for k := 0; k < run && ctx.Err() == nil; k += fetchBytes {
		m.Advise(off+k, min(fetchBytes, run-k), mmap.WillNeed)
	}
}
