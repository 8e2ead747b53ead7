package array

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Rows calls f with consecutive indices of the first axis of v, until all have come once: rows is v[first : first+n] in
// the same memory, and n is rows.Len(0). Goroutines share the calls, in any order, so f may set rows, and what it
// stores for an index, as in a slice of v.Len(0) results, needs no lock; all else that it changes does.
//
// A call has up to 256 KiB, as they are in memory or as values of T, or one index. Rows goes through v once, in the
// order of the memory, reads ahead and lets go as [Reduce] does; an index of more than 32 MiB is f's to read, by
// [View.Blocks], say. Where the first axis is not the slowest in memory, as in order F, a call has few indices, on
// many pages. Of a file that is not in memory, a part has indices on pages of an eighth of the memory, or of as many
// bytes where one index is on more, up to 64 MiB; each page is read for each part with elements on it: [Convert] the
// file first where these are many. [View.AppendTo] copies rows in the order of the memory.
//
// An error of f ends the work, and is returned as it is: of several, the one that a single goroutine would have come to
// first. Calls that are under way end before Rows returns. Panics of f and page faults are those of Reduce. For a v
// of no dimensions the error wraps [ErrShape]; without elements f is not called.
func Rows[T any](v View[T], f func(first int, rows View[T]) error) error {
	return v.view.rows(func(first int, rows view) error { return f(first, View[T]{shaped: shaped{rows}}) })
}

const (
	// rowsBytes is how much the rows have at most that a function is called with.
	rowsBytes = 256 << 10

	// mostAhead is how much a part has at most for a pass to read it ahead as a whole.
	mostAhead = 32 << 20

	// lineBytes is how much of a row across the memory lies together at least: fewer bytes of several rows.
	lineBytes = 64
)

func (c view) rows(f func(first int, rows view) error) error {
	c.mustBeSet()
	if c.lay.NDim() == 0 {
		return fmt.Errorf("%s%w: an array of no dimensions has no rows", prefix(c.el.mem.Path), ErrShape)
	}
	if c.lay.Size() == 0 {
		return nil
	}
	p := c.rowPass()
	defer p.ahead.Stop()
	if p.cold {
		defer strided.Calm(c.piece(), c.piece())()
	}
	_, err := inOrder(p.n, func(k int, failed *failure) (none struct{}, err error) {
		p.ahead.Enter(k)
		part, lo, hi := view{}, strided.Bound(p.length, k, p.n), strided.Bound(p.length, k+1, p.n)
		if p.cold {
			part = c.rowsFrom(lo, hi)
			part.piece().WantAll()
		}
		for at := lo; at < hi && err == nil && !failed.before(k); at += p.step {
			first, end := at, min(at+p.step, hi)
			if p.down {
				first, end = p.length-end, p.length-at
			}
			err = f(first, c.rowsFrom(first, end))
		}
		p.ahead.Leave(k)
		if p.cold {
			part.piece().Leave(false)
		}
		return none, err
	}, func(a, _ struct{}) struct{} { return a })
	return err
}

// rowsFrom returns rows lo to hi.
func (c *view) rowsFrom(lo, hi int) view { return must(c.derive(c.lay.Select(index.Range(lo, hi)))) }

// A rowPass goes once through the rows of a view in n parts, which follow one another in memory order where the first
// axis is the slowest in memory.
type rowPass struct {
	length  int // rows
	n, step int // parts, and how many rows to call a function with
	down    bool
	cold    bool // parts lie across the memory, and have their pages read
	ahead   *strided.Readahead
}

func (c *view) rowPass() rowPass {
	stride, outer := c.lay.Stride(0), 0
	for axis := 1; axis < c.lay.NDim(); axis++ {
		if c.lay.Len(axis) > 1 {
			outer = max(outer, abs(c.lay.Stride(axis)))
		}
	}
	p := rowPass{length: c.lay.Len(0), n: 1}
	size := c.el.dtype.ItemSize()
	if c.el.isWhole() {
		size = max(size, c.el.size)
	}
	p.step = max(1, rowsBytes/max(1, c.lay.Size()/p.length*size))
	if p.length == 1 {
		return p
	}
	if abs(stride) >= outer {
		p.down = stride < 0
		p.n = min(p.length, passParts(c.onPages()))
		if c.onPages()/p.n <= mostAhead {
			sorted := c.inMemoryOrder()
			p.ahead = readahead(&sorted, p.n)
		}
		return p
	}
	p.step = max(p.step, lineBytes/max(1, abs(stride)))
	p.n = min(p.length, passParts(c.NBytes()))
	p.n = max(1, min(p.n, p.length/p.step))
	if c.el.isWhole() && c.piece().IsCold() {
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
