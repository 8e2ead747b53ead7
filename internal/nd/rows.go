package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// RowsBytes is the maximum size of the rows that Rows passes to its function in one call, unless one row is larger.
	RowsBytes = 256 << 10

	// maxReadaheadPart is the maximum size of a part that Rows reads ahead as a whole.
	maxReadaheadPart = 32 << 20

	// lineBytes is the size of a cache line. If elements of consecutive rows are neighbors in memory, a call gets enough
	// rows to fill a line.
	lineBytes = 64

	// haloRatio is the minimum number of rows in a block for each row of the halo on one side.
	haloRatio = 4
)

// Rows calls f with blocks of consecutive rows of v, so that each row is passed to f once. A row is one index of the
// first axis. first is the number of the first row of a block. Goroutines call f at the same time, in any order. Rows
// returns the first error of f in memory order, and an error that wraps [ErrShape] if v has no axes.
func (v View) Rows(f func(first int, rows View) error) error {
	return v.RowsHalo(0, func(first int, rows, _ View) error { return f(first, rows) })
}

// RowsHalo is like Rows, and also passes each block with up to halo rows before it and after it.
func (v View) RowsHalo(halo int, f func(first int, rows, around View) error) error {
	v.MustBeSet()
	if v.Layout.NDim() == 0 {
		return fmt.Errorf("%s%w: an array without dimensions has no rows", Prefix(v.Store.Mem.Path), ErrShape)
	}
	if v.Layout.Size() == 0 {
		return nil
	}
	p := v.rowPass(min(halo, v.Layout.Len(0)))
	return p.Run(func(k int, failed *strided.Failure) (err error) {
		lo, hi := p.bounds(k)
		for row := lo; row < hi && err == nil && !failed.Before(k); row += p.rowsPerCall {
			first, end := row, min(row+p.rowsPerCall, hi)
			if p.descending {
				first, end = p.numRows-end, p.numRows-row
			}
			rows := v.rowRange(first, end)
			around := rows
			if p.halo > 0 {
				around = v.rowRange(p.around(first, end))
			}
			err = f(first, rows, around)
		}
		return err
	})
}

// A rowPass visits each row of a view once, in parts. If the first axis is the slowest one in memory, the parts follow
// each other in memory order. Otherwise, if the rows are in a file and not in memory, the pages of each part are
// prefetched.
type rowPass struct {
	strided.Pass
	numRows     int
	rowsPerCall int
	descending  bool // the last row has the lowest address
	halo        int  // the number of rows before and after each block that are passed, too
}

// bounds returns the range of rows of part k, counted from the last row if the rows are descending.
func (p *rowPass) bounds(k int) (lo, hi int) {
	return strided.Bound(p.numRows, k, p.Parts), strided.Bound(p.numRows, k+1, p.Parts)
}

// around returns the range of rows from lo to hi, extended by the halo. It works in both orders of rows.
func (p *rowPass) around(lo, hi int) (int, int) {
	return max(lo-p.halo, 0), hi + min(p.halo, p.numRows-hi)
}

// limitParts sets the number of parts of p to at most n. If the blocks have a halo, it makes parts and blocks of many
// more rows than the halo, so that few rows are passed twice. It leaves parts for all goroutines, unless the rows are
// in a file and not in memory.
func (p *rowPass) limitParts(v *View, n int) {
	if p.Parts = min(p.numRows, n); p.halo == 0 {
		return
	}
	fewest := minParts
	if a, ok := v.Plain(); ok && a.IsCold() {
		fewest = 1
	}
	p.Parts = min(p.Parts, max(fewest, p.numRows/p.halo/(2*haloRatio)))
	p.rowsPerCall = max(p.rowsPerCall, p.fewestRows())
}

// fewestRows returns the minimum number of rows of a block in a part with enough rows.
func (p *rowPass) fewestRows() int { return max(1, haloRatio*min(p.halo, p.numRows/haloRatio)) }

// rowPass prepares a pass through the rows of v.
func (v *View) rowPass(halo int) rowPass {
	stride, outer := v.Layout.Stride(0), 0
	for axis := 1; axis < v.Layout.NDim(); axis++ {
		if v.Layout.Len(axis) > 1 {
			outer = max(outer, abs(v.Layout.Stride(axis)))
		}
	}
	p := rowPass{numRows: v.Layout.Len(0), halo: halo}
	p.Parts = 1
	size := max(v.Store.DType.ItemSize(), v.Store.Size)
	p.rowsPerCall = max(1, RowsBytes/max(1, v.Layout.Size()/p.numRows*size))
	if p.numRows == 1 {
		return p
	}
	a, isPlain := v.Plain()
	if abs(stride) >= outer { // the first axis is the slowest
		p.descending = stride < 0
		p.limitParts(v, PassParts(v.passBytes()))
		if isPlain && a.OnPages()/p.Parts <= maxReadaheadPart {
			p.ReadAhead(a.Piece, p.Parts)
		}
		return p
	}
	p.rowsPerCall = max(p.rowsPerCall, lineBytes/max(1, abs(stride)))
	p.limitParts(v, PassParts(v.NBytes()))
	p.Parts = max(1, min(p.Parts, p.numRows/p.rowsPerCall))
	if isPlain && a.IsCold() {
		p.pageRows(v, &a)
	}
	return p
}

// pageRows limits the size of the parts of p so that they fit in memory, and makes p prefetch the pages of each part.
func (p *rowPass) pageRows(v *View, a *Array) {
	tileBytes := strided.TileBytes()
	row := v.rowRange(0, 1)
	least := p.fewestRows()
	rows := max(least, tileBytes/max(1, row.NBytes())) // rows of a part
	isSmall := func(rows int) bool {
		_, end := p.around(0, min(rows, p.numRows))
		part := v.rowRange(p.around(0, end)) // with the halo of both sides
		return part.bytesOnPages() <= tileBytes
	}
	fits := isSmall(least)
	for fits && rows > least && !isSmall(rows) {
		rows = max(least, rows/2)
	}
	p.Parts = max(1, (p.numRows+rows-1)/rows)
	if !fits { // not even the fewest rows fit, so f reads the pages itself
		p.rowsPerCall = rows
		return
	}
	p.rowsPerCall = min(p.rowsPerCall, rows)
	p.PageByPart(func(k int, visit func(q strided.Piece, after strided.After)) {
		lo, hi := p.bounds(k)
		part := v.rowRange(lo, hi)
		visit(part.piece(), strided.Release)
		if p.halo > 0 {
			before, after := v.rowRange(p.around(lo, lo)), v.rowRange(p.around(hi, hi))
			visit(before.piece(), strided.Keep) // released with the neighboring parts
			visit(after.piece(), strided.Keep)
		}
	}, a.Piece)
}

// rowRange returns rows lo to hi-1.
func (v *View) rowRange(lo, hi int) View {
	return Must(v.Derive(v.Layout.Select(index.Range(lo, hi))))
}
