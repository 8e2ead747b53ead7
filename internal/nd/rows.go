package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// RowsBytes is the maximum size of the rows in one call of the function that Rows gets, unless one row is larger.
	RowsBytes = 256 << 10

	// maxReadaheadPart is the maximum size of a part that Rows reads ahead as a whole.
	maxReadaheadPart = 32 << 20

	// lineBytes is the size of a cache line. If elements of consecutive rows are neighbors in memory, a call gets enough
	// rows to fill a line.
	lineBytes = 64
)

// Rows calls f with blocks of consecutive rows of a, where a row is one index of the first axis, until f has had each
// row once. first is the number of the first row of a block. Goroutines call f at the same time, in any order. Rows
// returns the first error of f in the order of the memory, and an error that wraps [ErrShape] if a has no axes.
func (a Array) Rows(f func(first int, rows Array) error) error {
	a.MustBeSet()
	if a.Layout.NDim() == 0 {
		return fmt.Errorf("%s%w: an array of no dimensions has no rows", Prefix(a.Store.Mem.Path), ErrShape)
	}
	if a.Layout.Size() == 0 {
		return nil
	}
	p := a.rowPass()
	defer p.readahead.Stop()
	if p.cold {
		defer strided.SuppressReadaheadIfLarge(a.Piece(), a.Piece())()
	}
	_, err := InOrder(p.numParts, func(k int, failed *Failure) (none struct{}, err error) {
		p.readahead.Enter(k)
		part, lo, hi := Array{}, strided.Bound(p.numRows, k, p.numParts), strided.Bound(p.numRows, k+1, p.numParts)
		if p.cold {
			part = a.rowRange(lo, hi)
			part.Piece().Prefetch(strided.Everywhere)
		}
		for at := lo; at < hi && err == nil && !failed.Before(k); at += p.rowsPerCall {
			first, end := at, min(at+p.rowsPerCall, hi)
			if p.descending {
				first, end = p.numRows-end, p.numRows-at
			}
			err = f(first, a.rowRange(first, end))
		}
		p.readahead.Leave(k)
		if p.cold {
			part.Piece().Release(false)
		}
		return none, err
	}, func(a, _ struct{}) struct{} { return a })
	return err
}

// A rowPass goes once through the rows of an array in parts. If the first axis is the slowest one in memory, the parts
// follow each other in memory order.
type rowPass struct {
	numRows     int
	numParts    int
	rowsPerCall int
	descending  bool // the last row comes first in memory
	cold        bool // parts are spread over the memory of a file, so each has its pages prefetched and released
	readahead   *strided.Readahead
}

// rowPass prepares a pass through the rows of a.
func (a *Array) rowPass() rowPass {
	stride, outer := a.Layout.Stride(0), 0
	for axis := 1; axis < a.Layout.NDim(); axis++ {
		if a.Layout.Len(axis) > 1 {
			outer = max(outer, abs(a.Layout.Stride(axis)))
		}
	}
	p := rowPass{numRows: a.Layout.Len(0), numParts: 1}
	size := a.Store.DType.ItemSize()
	if !a.Store.IsJoined() {
		size = max(size, a.Store.Size)
	}
	p.rowsPerCall = max(1, RowsBytes/max(1, a.Layout.Size()/p.numRows*size))
	if p.numRows == 1 {
		return p
	}
	if abs(stride) >= outer { // the first axis is the slowest
		p.descending = stride < 0
		p.numParts = min(p.numRows, PassParts(a.onPages()))
		if a.onPages()/p.numParts <= maxReadaheadPart {
			sorted := a.InMemoryOrder()
			p.readahead = newReadahead(&sorted, p.numParts)
		}
		return p
	}
	p.rowsPerCall = max(p.rowsPerCall, lineBytes/max(1, abs(stride)))
	p.numParts = min(p.numRows, PassParts(a.NBytes()))
	p.numParts = max(1, min(p.numParts, p.numRows/p.rowsPerCall))
	if !a.Store.IsJoined() && a.Piece().IsCold() {
		tileBytes := strided.TileBytes()
		row := a.rowRange(0, 1)
		rowsPerPart := max(1, tileBytes/max(1, row.NBytes()))
		if row.onPages() <= tileBytes {
			for rowsPerPart > 1 {
				part := a.rowRange(0, min(rowsPerPart, p.numRows))
				if part.onPages() <= tileBytes {
					break
				}
				rowsPerPart /= 2
			}
			p.cold = true
			p.rowsPerCall = min(p.rowsPerCall, rowsPerPart)
		} else { // not even one row fits, so f reads the pages itself
			p.rowsPerCall = rowsPerPart
		}
		p.numParts = max(1, (p.numRows+rowsPerPart-1)/rowsPerPart)
	}
	return p
}

// rowRange returns rows lo to hi-1.
func (a *Array) rowRange(lo, hi int) Array {
	return Must(a.Derive(a.Layout.Select(index.Range(lo, hi))))
}
