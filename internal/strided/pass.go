package strided

import (
	"cmp"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
)

// A Pass does the work of an operation in parts, which it identifies by number. Goroutines share the parts. The pass
// prefetches the pages of each part before the work on it and releases them afterwards, keeps the first error in the
// order of the parts, and reports progress between parts. A panic in a part, such as a page fault, becomes a panic of
// the goroutine that called Run (see [Share]).
//
// How an array is cut into parts is up to the operation: it tells the pass the number of parts, and its function does
// the work on part k.
type Pass struct {
	Parts  int
	InTurn bool // do the parts in order, in the calling goroutine

	// Report, if it is not nil, is called between parts, several times a second, with the number of parts done. If it
	// returns an error, the pass ends with that error. MaxUnreported is the maximum number of parts between two reports,
	// or 0 for no maximum. Values below GOMAXPROCS count as GOMAXPROCS.
	Report        func(done int) error
	MaxUnreported int

	// MaxWaiting is the maximum number of results that InOrder keeps in memory. If it is 0, InOrder keeps up to
	// WaitingPerGoroutine results for each goroutine.
	MaxWaiting int

	// Settled, if it is not nil, reports whether parts that have not begun will no longer touch any memory, so that their
	// pages need not be read.
	Settled func() bool

	pagers []pager
	failed *Failure
}

// A pager prefetches and releases pages of a file during a pass.
type pager interface {
	Enter(k int) // called before part k is touched
	Leave(k int) // called when part k will not be touched again
	Stop()       // called at the end of the pass
}

// ReportBytes makes the pass call report between parts with the number of bytes done since the last call. size is the
// total number of bytes. If report is nil, ReportBytes does nothing.
func (p *Pass) ReportBytes(size int, report func(bytes int) error) {
	if report == nil {
		return
	}
	reported := 0
	p.Report = func(done int) error {
		n := Bound(size, done, p.Parts) - reported
		reported += n
		return report(n)
	}
}

// ReadAhead makes the pass read ahead in q, which is cut into n parts that follow each other in memory. The number of
// parts of the pass must be a multiple of n; consecutive parts of the pass work on the same part of q.
func (p *Pass) ReadAhead(q Piece, n int) {
	if r := q.Readahead(n); r != nil {
		p.pagers = append(p.pagers, &sequentialPager{r, p.Parts / n, make([]atomic.Int64, n)})
	}
}

// An After says what to do with the pages of a part after the work on it.
type After uint8

const (
	Keep      After = iota // leave them to the system
	Release                // let the system take them back at once
	WriteBack              // begin to write them to the file, and let the system take them back after that
)

// PageByPart makes the pass prefetch all pages of a part before it starts on the part. If the parts are done in turn,
// it prefetches each part while it works on the previous one. The function pages calls visit with the pieces of memory
// that part k touches.
//
// whole covers the memory of all parts. If it may not fit in memory, page faults read no further pages during the pass,
// because these would evict prefetched pages.
func (p *Pass) PageByPart(pages func(k int, visit func(q Piece, after After)), whole ...Piece) {
	t := &partPager{pages: pages, parts: p.Parts, inTurn: p.InTurn, restore: func() {}}
	if isLarge(whole...) {
		t.restore = suppressReadahead(whole...)
	}
	p.pagers = append(p.pagers, t)
}

// Run calls do once with the number of each part, unless an earlier part has failed. do may stop early if
// failed.Before(k) is true. Run returns the error of the failed part with the lowest number.
func (p *Pass) Run(do func(k int, failed *Failure) error) error {
	defer p.stop()
	p.failed = newFailure()
	if p.Report == nil {
		p.share(0, p.Parts, do)
		return p.failed.err
	}
	minParts := runtime.GOMAXPROCS(0) // all goroutines finish before each report
	return Waves(p.Parts, minParts, max(minParts, cmp.Or(p.MaxUnreported, p.Parts)), func(first, last int) error {
		if p.share(first, last, do); p.failed.err != nil {
			return p.failed.err
		}
		return p.Report(last)
	})
}

func (p *Pass) stop() {
	for _, g := range p.pagers {
		g.Stop()
	}
}

// share does the parts from first to last-1.
func (p *Pass) share(first, last int, do func(k int, failed *Failure) error) {
	if !p.InTurn {
		Share(last-first, func(i int) { p.part(first+i, do) })
		return
	}
	for k := first; k < last; k++ {
		p.part(k, do)
	}
}

func (p *Pass) part(k int, do func(k int, failed *Failure) error) {
	if p.failed.Before(k) {
		return
	}
	pagers := p.pagers
	if p.Settled != nil && p.Settled() {
		pagers = nil
	}
	for _, g := range pagers {
		g.Enter(k)
	}
	if err := do(k, p.failed); err != nil {
		p.failed.set(k, err)
	}
	for _, g := range pagers {
		g.Leave(k)
	}
}

// A Failure holds the first error of a pass in the order of its parts.
type Failure struct {
	part atomic.Int64 // the part that failed; math.MaxInt64 if none has
	mu   sync.Mutex
	err  error
}

func newFailure() *Failure {
	f := new(Failure)
	f.part.Store(math.MaxInt64)
	return f
}

// Before reports whether a part before k has failed. If so, part k can be skipped.
func (f *Failure) Before(k int) bool { return f.part.Load() < int64(k) }

// set records the error of part k.
func (f *Failure) set(k int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.Before(k) {
		f.err = err
		f.part.Store(int64(k))
	}
}

// A sequentialPager reads ahead in a piece of memory. Several parts of a pass work on each part of the piece.
type sequentialPager struct {
	pager
	perPart int            // the number of parts of the pass for each part of the piece
	done    []atomic.Int64 // for each part of the piece, the number of parts of the pass that are done
}

func (g *sequentialPager) Enter(k int) { g.pager.Enter(k / g.perPart) }

func (g *sequentialPager) Leave(k int) {
	if g.done[k/g.perPart].Add(1) == int64(g.perPart) {
		g.pager.Leave(k / g.perPart)
	}
}

// A partPager prefetches and releases the pages of each part of a pass.
type partPager struct {
	pages      func(k int, visit func(q Piece, after After))
	parts      int
	inTurn     bool
	prefetched int // if inTurn: the number of parts whose pages were prefetched
	restore    func()
}

func (t *partPager) Enter(k int) {
	if !t.inTurn {
		t.prefetch(k)
		return
	}
	for ; t.prefetched <= min(k+1, t.parts-1); t.prefetched++ {
		t.prefetch(t.prefetched)
	}
}

func (t *partPager) prefetch(k int) { t.pages(k, func(q Piece, _ After) { q.Prefetch(Everywhere) }) }

func (t *partPager) Leave(k int) {
	t.pages(k, func(q Piece, after After) {
		if after != Keep {
			q.release(after == WriteBack)
		}
	})
}

func (t *partPager) Stop() { t.restore() }
