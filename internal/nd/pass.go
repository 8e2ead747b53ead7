package nd

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// leastParts is into how many parts a pass cuts a view at least if they have leastPart
	// bytes: a function of the user's may take long for few elements.
	leastParts = 16
	leastPart  = 256 << 10
)

// PassParts returns about how many parts a pass cuts bytes into.
func PassParts(bytes int) int {
	return 1 + bytes/min(max(bytes/leastParts, leastPart), strided.PartBytes)
}

// A BlockPass goes once through a view in n parts, which follow one another in memory order.
// Which they are depends on the view alone.
type BlockPass struct {
	Array     Array
	NumParts  int
	about     int // parts that were asked for
	Readahead *strided.Readahead
}

// Pass prepares a pass through c. It has no parts if c has no elements.
func (c Array) Pass() BlockPass {
	c.MustBeSet()
	c = c.InMemoryOrder()
	p := BlockPass{Array: c.sub(c.Layout.Coalesce(), 0), about: PassParts(c.onPages())}
	p.NumParts = countParts(p.Array.Layout, p.about)
	p.Readahead = readahead(&p.Array, p.NumParts)
	return p
}

// Part begins to walk through part k in blocks.
func (p *BlockPass) Part(k int) (w Cursor) {
	part := p.Array.cut(k, p.about)
	w.blocks = true
	w.Walk(&part, index.C)
	return w
}

// onPages returns NBytes, or the size of the pages that the elements are on where these are further apart.
func (c *Array) onPages() int {
	if c.Store.IsJoined() {
		return c.NBytes()
	}
	p := c.Piece()
	return p.OnPages()
}

// readahead returns a Readahead for c, whose axes are in memory order, in n parts; nil where
// there is little to read.
func readahead(c *Array, n int) *strided.Readahead {
	if n > 0 && c.onPages() == c.NBytes() && c.NBytes()/n < strided.PartBytes/2 {
		n = 1 // all at once
	}
	return c.Piece().Readahead(n)
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
func (c Array) cut(k, n int) Array { return Must(c.Derive(cutLayout(c.Layout, k, n))) }

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

// A Failure is the first error of a pass in the order of its parts.
type Failure struct {
	at  atomic.Int64 // its part; more than any if there is none
	err error
}

// Before reports whether a part before k has failed, so that k need not be done.
func (f *Failure) Before(k int) bool { return f.at.Load() < int64(k) }

// InOrder calls f with 0 to n-1, by GOMAXPROCS goroutines, and merges what it returns in that
// order, in pairs. It returns the zero R for no parts, and the first error in that order. A
// goroutine that is far ahead of the others waits, so that few results are kept.
func InOrder[R any](n int, f func(k int, failed *Failure) (R, error), merge func(a, b R) R) (R, error) {
	var zero R
	if n == 0 {
		return zero, nil
	}
	s := newMerger(n, merge)
	strided.Share(n, s.do(f))
	if s.failed.err != nil {
		return zero, s.failed.err
	}
	return s.all.Total(), nil
}

// ForBlocks calls f with blocks of n elements of c, each with what it returned for another one, or new at first, and
// returns the last of those: one for each goroutine at most. Blocks come in any order, so f must count, or do else
// what no order matters for. Report, if it is not nil, is called with bytes that have been done, and ends it by an
// error, which is returned.
func ForBlocks[A any](c Array, new func() A, f func(a A, block pointer, n int) A,
	report func(bytes int) error) (all []A,
	err error) {
	p := c.Pass()
	defer p.Readahead.Stop()
	var mu sync.Mutex
	part := func(k int) {
		mu.Lock()
		var a A
		if last := len(all) - 1; last >= 0 {
			a, all = all[last], all[:last]
			mu.Unlock()
		} else {
			mu.Unlock()
			a = new()
		}
		p.Readahead.Enter(k)
		w := p.Part(k)
		for block, n := w.ReadBlock(); n > 0; block, n = w.ReadBlock() {
			a = f(a, block, n)
		}
		p.Readahead.Leave(k)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, a)
	}
	if report == nil {
		strided.Share(p.NumParts, part)
		return all, nil
	}
	size := c.NBytes()
	wave := max(runtime.GOMAXPROCS(0), ScanReportBytes/max(1, size/max(1, p.NumParts))) // parts from one report to the next
	err = strided.Waves(p.NumParts, runtime.GOMAXPROCS(0), wave, func(first, last int) error {
		strided.Share(last-first, func(k int) { part(first + k) })
		return report(strided.Bound(size, last, p.NumParts) - strided.Bound(size, first, p.NumParts))
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// MaxReportBytes is about how much is copied, or brought to stable storage, from one
// report of progress to the next, at most: see [progress.pace].
const MaxReportBytes = 32 << 20

// ScanReportBytes is how much of what is in memory is done from one report to the next. Tests have less.
var ScanReportBytes = MaxReportBytes
