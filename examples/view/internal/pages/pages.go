// Package pages estimates the cost of reading elements from a file, and prefetches their pages.
package pages

import (
	"context"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// Bytes is the number of bytes in a page of a mapped file.
const Bytes = 4096

const (
	nextPages = 2 // reading two consecutive pages costs as much as one page elsewhere

	// fetchBytes is the number of bytes prefetched with one call. Linux ignores the rest of a request beyond its readahead
	// limit, which is at least this large.
	fetchBytes = 128 << 10
)

// Dims returns the dimensions of l.
func Dims(l index.Layout) []index.Dim {
	dims := make([]index.Dim, l.NDim())
	for k := range dims {
		dims[k] = l.Dim(k)
	}
	return dims
}

// runs describes the memory of the elements of dims as runs of bytes that repeat along dimensions. It takes dimensions
// in the order of their strides, the smallest first, and merges them into one run as long as gaps are smaller than a
// page of pageBytes. The remaining dimensions repeat this run; repeated starts with the dimension of the largest
// stride. Strides must not be negative.
func runs(dims []index.Dim, itemSize, pageBytes int) (run int, repeated []index.Dim) {
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

// MaxCost is the upper limit of the results of Cost.
const MaxCost = 1 << 30

// Cost returns the cost of reading the elements of dims: 1 for each page that is read by itself, and less for each of
// several consecutive pages. A page has pageBytes. No dimension may be empty.
func Cost(dims []index.Dim, itemSize, pageBytes int) int {
	run, repeated := runs(dims, itemSize, pageBytes)
	n := min(MaxCost, 1+run/pageBytes/nextPages)
	for _, d := range repeated {
		if n > MaxCost/d.Len {
			return MaxCost
		}
		n *= d.Len
	}
	return n
}

// Fetch asks the system to read the elements of dims, which begin at byte off of m. Disks are many times faster with
// many requests at once than with one page fault at a time. Fetch stops when ctx is done, and does nothing if m is nil.
// It ignores errors, because prefetching is only a hint.
func Fetch(ctx context.Context, m *mmap.Map, off int, dims []index.Dim, itemSize int) {
	if m == nil || slices.ContainsFunc(dims, func(d index.Dim) bool { return d.Len == 0 }) {
		return
	}
	EachRun(off, dims, itemSize, Bytes, func(off, n int) {
		for k := 0; k < n && ctx.Err() == nil; k += fetchBytes {
			m.Advise(off+k, min(fetchBytes, n-k), mmap.WillNeed)
		}
	})
}

// EachRun calls f with the offset and the number of bytes of each run of the elements of dims, which begin at off. A
// run may contain gaps that are smaller than a page of pageBytes. No dimension may be empty, and no stride negative.
func EachRun(off int, dims []index.Dim, itemSize, pageBytes int, f func(off, n int)) {
	run, repeated := runs(dims, itemSize, pageBytes)
	eachRun(off, run, repeated, f)
}

func eachRun(off, run int, repeated []index.Dim, f func(off, n int)) {
	if len(repeated) == 0 {
		f(off, run)
		return
	}
	for k := range repeated[0].Len {
		eachRun(off+k*repeated[0].Stride, run, repeated[1:], f)
	}
}
