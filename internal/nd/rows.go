package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// RowsBytes is how much the rows have at most that a function is called with.
	RowsBytes = 256 << 10

	// mostAhead is how much a part has at most for a pass to read it ahead as a whole.
	mostAhead = 32 << 20

	// lineBytes is how much of a row across the memory lies together at least: fewer bytes of several rows.
	lineBytes = 64
)

func (c Array) Rows(f func(first int, rows Array) error) error {
	c.MustBeSet()
	if c.Layout.NDim() == 0 {
		return fmt.Errorf("%s%w: an array of no dimensions has no rows", Prefix(c.Store.Mem.Path), ErrShape)
	}
	if c.Layout.Size() == 0 {
		return nil
	}
	p := c.rowPass()
	defer p.ahead.Stop()
	if p.cold {
		defer strided.SuppressReadaheadIfLarge(c.Piece(), c.Piece())()
	}
	_, err := InOrder(p.n, func(k int, failed *Failure) (none struct{}, err error) {
		p.ahead.Enter(k)
		part, lo, hi := Array{}, strided.Bound(p.length, k, p.n), strided.Bound(p.length, k+1, p.n)
		if p.cold {
			part = c.rowsFrom(lo, hi)
			part.Piece().Prefetch(strided.Everywhere)
		}
		for at := lo; at < hi && err == nil && !failed.Before(k); at += p.step {
			first, end := at, min(at+p.step, hi)
			if p.down {
				first, end = p.length-end, p.length-at
			}
			err = f(first, c.rowsFrom(first, end))
		}
		p.ahead.Leave(k)
		if p.cold {
			part.Piece().Release(false)
		}
		return none, err
	}, func(a, _ struct{}) struct{} { return a })
	return err
}

// rowsFrom returns rows lo to hi.
func (c *Array) rowsFrom(lo, hi int) Array {
	return Must(c.Derive(c.Layout.Select(index.Range(lo, hi))))
}

// A rowPass goes once through the rows of a view in n parts, which follow one another in memory order where the first
// axis is the slowest in memory.
type rowPass struct {
	length  int // rows
	n, step int // parts, and how many rows to call a function with
	down    bool
	cold    bool // parts lie across the memory, and have their pages read
	ahead   *strided.Readahead
}

func (c *Array) rowPass() rowPass {
	stride, outer := c.Layout.Stride(0), 0
	for axis := 1; axis < c.Layout.NDim(); axis++ {
		if c.Layout.Len(axis) > 1 {
			outer = max(outer, abs(c.Layout.Stride(axis)))
		}
	}
	p := rowPass{length: c.Layout.Len(0), n: 1}
	size := c.Store.DType.ItemSize()
	if c.Store.IsWhole() {
		size = max(size, c.Store.Size)
	}
	p.step = max(1, RowsBytes/max(1, c.Layout.Size()/p.length*size))
	if p.length == 1 {
		return p
	}
	if abs(stride) >= outer {
		p.down = stride < 0
		p.n = min(p.length, PassParts(c.onPages()))
		if c.onPages()/p.n <= mostAhead {
			sorted := c.InMemoryOrder()
			p.ahead = readahead(&sorted, p.n)
		}
		return p
	}
	p.step = max(p.step, lineBytes/max(1, abs(stride)))
	p.n = min(p.length, PassParts(c.NBytes()))
	p.n = max(1, min(p.n, p.length/p.step))
	if c.Store.IsWhole() && c.Piece().IsCold() {
		most := strided.TileBytes()
		row := c.rowsFrom(0, 1)
		rows := max(1, most/max(1, row.NBytes()))
		if row.onPages() <= most {
			for rows > 1 {
				part := c.rowsFrom(0, min(rows, p.length))
				if part.onPages() <= most {
					break
				}
				rows /= 2
			}
			p.cold = true
			p.step = min(p.step, rows)
		} else {
			p.step = rows
		}
		p.n = max(1, (p.length+rows-1)/rows)
	}
	return p
}
