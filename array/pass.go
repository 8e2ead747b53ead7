package array

import (
	"sync/atomic"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Reduce calls f with the elements of v, block by block, and merge with what f returned, two results at a time, until
// one is left. It goes through v once, in memory order, whatever layout and byte order v has.
//
// Several goroutines call f and merge at once. Blocks have up to 64 KiB, are valid until f returns, and must not be
// written to. In merge(a, b) all elements behind a come before those behind b, in the order of the memory and next to
// them, and neither is used again, so that merge may change and return one of them. All that depends on v alone.
//
// If f returns an error, Reduce returns the first one in the order of the memory, as it is, and the zero R; later
// blocks may have been passed to f by then. A view without elements is the zero R, and f is not called.
func Reduce[T, R any](v View[T], f func(block []T) (R, error), merge func(a, b R) R) (R, error) {
	p := v.view.pass()
	defer p.ahead.Stop()
	return inOrder(p.n, func(k int, failed *failure) (R, error) {
		p.ahead.Enter(k)
		w := p.part(k)
		all := pairs[R]{merge: merge}
		for block, n := w.nextBlock(); n > 0 && !failed.before(k); block, n = w.nextBlock() {
			r, err := f(strided.Slice[T](block, n))
			if err != nil {
				return r, err
			}
			all.add(r)
		}
		p.ahead.Leave(k)
		return all.total(), nil
	}, merge)
}

const (
	// leastParts is into how many parts a pass cuts a view at least if they have leastPart
	// bytes: a function of the user's may take long for few elements.
	leastParts = 16
	leastPart  = 256 << 10
)

// passParts returns about how many parts a pass cuts bytes into.
func passParts(bytes int) int {
	return 1 + bytes/min(max(bytes/leastParts, leastPart), strided.PartBytes)
}

// A pass goes once through a view in n parts, which follow one another in memory order.
// Which they are depends on the view alone.
type pass struct {
	c     view
	n     int
	about int // parts that were asked for
	ahead *strided.Readahead
}

// pass prepares a pass through c. It has no parts if c has no elements.
func (c view) pass() pass {
	c.mustBeSet()
	c = c.inMemoryOrder()
	p := pass{c: c.sub(c.lay.Coalesce(), 0), about: passParts(c.onPages())}
	p.n = countParts(p.c.lay, p.about)
	p.ahead = readahead(&p.c, p.n)
	return p
}

// part begins to walk through part k in blocks.
func (p *pass) part(k int) (w cursor) {
	part := p.c.cut(k, p.about)
	w.blocks = true
	w.walk(&part, index.C)
	return w
}

// onPages returns NBytes, or the size of the pages that the elements are on where these are further apart.
func (c *view) onPages() int {
	if !c.el.isWhole() {
		return c.NBytes()
	}
	p := c.piece()
	return p.OnPages()
}

// readahead returns a Readahead for c, whose axes are in memory order, in n parts; nil where
// there is little to read.
func readahead(c *view, n int) *strided.Readahead {
	if n > 0 && c.onPages() == c.NBytes() && c.NBytes()/n < strided.PartBytes/2 {
		n = 1 // all at once
	}
	return c.piece().Readahead(n)
}

// countParts returns into how many parts cut cuts a view for about n: 0 if there are no
// elements.
func countParts(lay index.Layout, n int) int {
	if lay.Size() == 0 {
		return 0
	}
	outer, here, _ := cutAxis(lay, n)
	return outer * here
}

// cutAxis returns the axis to cut for about n parts in C order, the first that is long enough,
// into how many parts to cut it, and the number of positions of the axes before it.
func cutAxis(lay index.Layout, n int) (outer, here, axis int) {
	outer = 1
	for axis = range lay.NDim() {
		length := lay.Len(axis)
		if length >= n || axis == lay.NDim()-1 {
			return outer, min(length, n), axis
		}
		outer *= length
		n = 1 + (n-1)/length
	}
	return 1, 1, 0
}

// cut returns part k of the countParts parts of c, which follow one another in C order.
func (c view) cut(k, n int) view { return must(c.derive(cutLayout(c.lay, k, n))) }

func cutLayout(lay index.Layout, k, n int) (part index.Layout, off int, err error) {
	outer, here, axis := cutAxis(lay, n)
	if lay.NDim() == 0 {
		return lay, 0, nil
	}
	at := k / here
	for range axis {
		outer /= lay.Len(0)
		i, o := 0, 0
		i, at = at/outer, at%outer
		lay, o = lay.Index(i)
		off += o
	}
	length := lay.Len(0)
	k %= here
	part, start, err := lay.Select(index.Range(strided.Bound(length, k, here), strided.Bound(length, k+1, here)))
	return part, off + start, err
}

// A failure is the first error of a pass in the order of its parts.
type failure struct {
	at  atomic.Int64 // its part; more than any if there is none
	err error
}

// before reports whether a part before k has failed, so that k need not be done.
func (f *failure) before(k int) bool { return f.at.Load() < int64(k) }

// inOrder calls f with 0 to n-1, by GOMAXPROCS goroutines, and merges what it returns in that
// order, in pairs. It returns the zero R for no parts, and the first error in that order. A
// goroutine that is far ahead of the others waits, so that few results are kept.
func inOrder[R any](n int, f func(k int, failed *failure) (R, error), merge func(a, b R) R) (R, error) {
	var zero R
	if n == 0 {
		return zero, nil
	}
	s := newMerger(n, merge)
	strided.Share(n, s.do(f))
	if s.failed.err != nil {
		return zero, s.failed.err
	}
	return s.all.total(), nil
}
