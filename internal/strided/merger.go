package strided

import (
	"cmp"
	"runtime"
	"sync"
)

// WaitingPerGoroutine is the maximum number of results that wait to be merged, for each goroutine.
const WaitingPerGoroutine = 4

// InOrder runs p, and calls take with the results of do, one at a time, in the order of the parts. It returns the error
// of Run. take is not called for failed parts and the parts after them. A goroutine that is far ahead of the slowest
// part waits, so that few results are kept in memory.
func InOrder[R any](p *Pass, do func(k int, failed *Failure) (R, error), take func(R)) error {
	n := cmp.Or(p.MaxWaiting, WaitingPerGoroutine*runtime.GOMAXPROCS(0))
	m := &merger[R]{take: take, waiting: make([]result[R], min(p.Parts, n))}
	m.turn.L = &m.mu
	return p.Run(func(k int, failed *Failure) error {
		if !m.enter(k, failed) {
			return nil
		}
		done := false
		defer func() { m.leave(done) }()
		r, err := do(k, failed)
		if err != nil {
			return err
		}
		m.put(k, r)
		done = true
		return nil
	})
}

// A merger receives the results of parts in any order, and passes them on in the order of the parts.
type merger[R any] struct {
	take       func(R)
	mu         sync.Mutex
	turn       sync.Cond   // next or incomplete has changed
	next       int         // the part whose result is taken next
	waiting    []result[R] // the result of part k is at k modulo the length
	incomplete bool        // a part has failed, panicked or called runtime.Goexit: no later result is taken
}

// A result is an element of merger.waiting.
type result[R any] struct {
	r     R
	ready bool
}

// enter waits until there is room for the result of part k. All parts before k have entered already, and the first
// unfinished part never waits, so enter returns in the end. It returns false if the part can be skipped.
func (m *merger[R]) enter(k int, failed *Failure) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k-m.next >= len(m.waiting) && !m.incomplete {
		m.turn.Wait()
	}
	return k-m.next < len(m.waiting) && !failed.Before(k)
}

// put stores the result of part k, and takes all results whose turn has come.
func (m *merger[R]) put(k int, r R) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting[k%len(m.waiting)] = result[R]{r, true}
	for w := &m.waiting[m.next%len(m.waiting)]; w.ready; w = &m.waiting[m.next%len(m.waiting)] {
		m.take(w.r)
		*w = result[R]{}
		m.next++
	}
}

// leave tells the waiting goroutines that a part has ended. If done is false, the part has no result, and they stop
// waiting.
func (m *merger[R]) leave(done bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.incomplete = m.incomplete || !done
	m.turn.Broadcast()
}

// A MergeTree merges results in pairs, the merged pairs in pairs, and so on. The pairs depend only on the number of
// results. For each bit 1<<k that is set in n, the tree holds one result, merged from 1<<k results. The result merged
// from most results comes first.
type MergeTree[R any] struct {
	Merge   func(a, b R) R
	n       uint
	results []R
}

// Add adds the next result.
func (t *MergeTree[R]) Add(r R) {
	for n := t.n; n&1 == 1; n >>= 1 {
		r = t.Merge(t.pop(), r)
	}
	t.results = append(t.results, r)
	t.n++
}

// Total merges all results and returns the final one, or the zero R if no results were added. It empties the tree.
func (t *MergeTree[R]) Total() (r R) {
	if len(t.results) == 0 {
		return r
	}
	for r = t.pop(); len(t.results) > 0; {
		r = t.Merge(t.pop(), r)
	}
	return r
}

func (t *MergeTree[R]) pop() (r R) {
	last := len(t.results) - 1
	r, t.results[last] = t.results[last], r // zero the slot so that it keeps nothing alive
	t.results = t.results[:last]
	return r
}
