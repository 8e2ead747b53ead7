package nd

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// minParts is the minimum number of parts in a pass if each part has minPartBytes or more. A caller's function may be
	// slow, so goroutines divide even a small array among themselves.
	minParts     = 16
	minPartBytes = 256 << 10

	// MaxReportBytes is the approximate maximum number of bytes copied, or brought to stable storage, between two reports
	// of progress. Package array adapts the number to the speed of the copy.
	MaxReportBytes = 32 << 20
)

// ScanReportBytes is the number of bytes that work in memory does between two reports of progress. Tests lower it.
var ScanReportBytes = MaxReportBytes

// A BlockPass goes once through an array in parts that follow each other in memory order. The parts depend on the array
// alone.
type BlockPass struct {
	Array          Array // the array with its axes in memory order and merged where possible
	NumParts       int
	Readahead      *strided.Readahead
	requestedParts int // NumParts may differ from it
}

// Pass prepares a pass through a. It has no parts if a has no elements.
func (a Array) Pass() BlockPass {
	a.MustBeSet()
	a = a.InMemoryOrder()
	p := BlockPass{Array: a.sub(a.Layout.Coalesce(), 0), requestedParts: PassParts(a.onPages())}
	p.NumParts = countParts(p.Array.Layout, p.requestedParts)
	p.Readahead = newReadahead(&p.Array, p.NumParts)
	return p
}

// Part returns a cursor at the start of part k, which walks through it in blocks.
func (p *BlockPass) Part(k int) (w Cursor) {
	part := p.Array.cut(k, p.requestedParts)
	w.blocks = true
	w.Walk(&part, index.C)
	return w
}

// A Failure holds the first error of a pass in the order of its parts.
type Failure struct {
	at  atomic.Int64 // the part that failed; math.MaxInt64 if none has
	err error
}

// Before reports whether a part before k has failed. Part k need not be done then.
func (f *Failure) Before(k int) bool { return f.at.Load() < int64(k) }

// InOrder calls f with the parts 0 to n-1 from GOMAXPROCS goroutines, and merges the results of f in pairs, in the
// order of the parts. It returns the zero R if n is 0, and the first error in the order of the parts. A goroutine that
// is far ahead of the slowest part waits, so that few results are kept in memory.
func InOrder[R any](n int, f func(k int, failed *Failure) (R, error), merge func(a, b R) R) (R, error) {
	var zero R
	if n == 0 {
		return zero, nil
	}
	m := newMerger(n, merge)
	strided.Share(n, m.body(f))
	if m.failed.err != nil {
		return zero, m.failed.err
	}
	return m.results.Total(), nil
}

// ForBlocks calls f with blocks of n Go values of a, and returns the accumulators, at most one for each goroutine. f
// gets an accumulator and returns the one to use for a later block; newAcc makes accumulators. Blocks come in any
// order, so the final result must not depend on their order.
//
// If report is not nil, ForBlocks calls it with the number of bytes done since the last call. If report returns an
// error, ForBlocks stops and returns it.
func ForBlocks[A any](a Array, newAcc func() A, f func(acc A, block pointer, n int) A,
	report func(bytes int) error) (all []A, err error) {
	p := a.Pass()
	defer p.Readahead.Stop()
	var mu sync.Mutex // guards all, the accumulators that are not in use
	doPart := func(k int) {
		mu.Lock()
		var acc A
		if last := len(all) - 1; last >= 0 {
			acc, all = all[last], all[:last]
			mu.Unlock()
		} else {
			mu.Unlock()
			acc = newAcc()
		}
		p.Readahead.Enter(k)
		w := p.Part(k)
		for block, n := w.ReadBlock(); n > 0; block, n = w.ReadBlock() {
			acc = f(acc, block, n)
		}
		p.Readahead.Leave(k)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, acc)
	}
	if report == nil {
		strided.Share(p.NumParts, doPart)
		return all, nil
	}
	size := a.NBytes()
	// most is the maximum number of parts between two reports.
	most := max(runtime.GOMAXPROCS(0), ScanReportBytes/max(1, size/max(1, p.NumParts)))
	err = strided.Waves(p.NumParts, runtime.GOMAXPROCS(0), most, func(first, last int) error {
		strided.Share(last-first, func(k int) { doPart(first + k) })
		return report(strided.Bound(size, last, p.NumParts) - strided.Bound(size, first, p.NumParts))
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// PassParts returns the approximate number of parts into which a pass cuts an array of n bytes.
func PassParts(n int) int {
	return 1 + n/min(max(n/minParts, minPartBytes), strided.PartBytes)
}

// onPages returns the number of bytes of a. If its elements are far apart, it returns the size of the pages that they
// are on instead, except for a joined array.
func (a *Array) onPages() int {
	if a.Store.IsJoined() {
		return a.NBytes()
	}
	p := a.Piece()
	return p.OnPages()
}

// newReadahead returns a Readahead for n parts of a, whose axes are in memory order. It returns nil, which does
// nothing, if there is little to read.
func newReadahead(a *Array, n int) *strided.Readahead {
	if n > 0 && a.onPages() == a.NBytes() && a.NBytes()/n < strided.PartBytes/2 {
		n = 1 // all at once
	}
	return a.Piece().Readahead(n)
}

// cut returns part k of a, whose parts follow each other in C order. n is the requested number of parts; countParts
// returns the actual number.
func (a Array) cut(k, n int) Array { return Must(a.Derive(cutLayout(a.Layout, k, n))) }

func cutLayout(lay index.Layout, k, n int) (part index.Layout, off int, err error) {
	outer, cuts, axis := cutAxis(lay, n)
	if lay.NDim() == 0 {
		return lay, 0, nil
	}
	at := k / cuts // the position among the indices of the outer axes
	for range axis {
		outer /= lay.Len(0)
		i, o := 0, 0
		i, at = at/outer, at%outer
		lay, o = lay.Index(i)
		off += o
	}
	length := lay.Len(0)
	k %= cuts
	part, start, err := lay.Select(index.Range(strided.Bound(length, k, cuts), strided.Bound(length, k+1, cuts)))
	return part, off + start, err
}

// countParts returns the number of parts that cut makes if n are requested: 0 if there are no elements.
func countParts(lay index.Layout, n int) int {
	if lay.Size() == 0 {
		return 0
	}
	outer, cuts, _ := cutAxis(lay, n)
	return outer * cuts
}

// cutAxis chooses how to cut a layout into about n parts that follow each other in C order. It returns the first axis
// that is long enough, the number of parts into which to cut that axis, and the number of index tuples of the axes
// before it. Each index tuple has parts of its own. For shape (3, 100) and n = 10, cutAxis returns 3, 4 and 1: 12 parts
// of 25 elements.
func cutAxis(lay index.Layout, n int) (outer, cuts, axis int) {
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
