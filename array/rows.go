package array

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Rows calls f with all parts of v along its first axis, some consecutive ones at a time: rows is v[first : first+n],
// in the same memory, and n is rows.Len(0). Of a vector these are elements. f may do with rows what it may do with v,
// set elements too, and what it stores for index i of v, in a slice that has Len(0) elements, say, needs no lock; all else
// that it changes does, since goroutines share the calls, which come in any order.
//
// The rows of a call have up to 256 KiB, in memory or as values of T, whichever is more, or are a single one. Rows goes
// through v once, in the order of the memory; what is not in memory is read ahead and let go as by [Reduce], but for
// rows of more than 32 MiB, which f is to read by [View.Blocks] or the like. Where the first axis is not the slowest in
// memory, in order F that is, each row lies on many lines of the cache, and on many pages: a call has few rows, of a line at
// least, and of a file that is not in memory as many as are on pages of an eighth of the memory, 64 MiB at most; if
// there are more pages than that to a row, each page is read again for each such part. Copy rows with [View.Collect] or
// [View.AppendTo] there, which go by the order of the memory; or [Convert] the file first.
//
// If f returns an error, Rows returns it as it is: of several, the one that a single goroutine would have come to first.
// No call is begun after it but those of goroutines that are before it in that order, and none is under way when
// Rows returns. A panic of f, and a page fault, come in the goroutine of the caller, as those of [Reduce] do. A view of no
// dimensions is an error that wraps [ErrShape]; if v has no elements, f is not called.
func Rows[T any](v View[T], f func(first int, rows View[T]) error) error {
	return v.view.rows(func(first int, rows view) error { return f(first, View[T]{shaped{rows}}) })
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
