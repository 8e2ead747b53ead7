package nd

import (
	"math"
	"runtime"
	"sync"
)

// WaitingPerGoroutine is the maximum number of results that wait to be merged, for each goroutine.
const WaitingPerGoroutine = 4

// A merger merges the results of parts in the order of the parts. The results may arrive in any order.
type merger[R any] struct {
	mu        sync.Mutex
	turn      sync.Cond   // next, failed or abandoned has changed
	next      int         // the part whose result is merged next
	waiting   []result[R] // the result of part k is at k modulo the length
	results   MergeTree[R]
	failed    Failure
	abandoned bool // a call did not return, because it panicked or ended its goroutine
}

// A result is an element of merger.waiting.
type result[R any] struct {
	r     R
	ready bool
}

func newMerger[R any](n int, merge func(a, b R) R) *merger[R] {
	m := &merger[R]{results: MergeTree[R]{Merge: merge}}
	m.waiting = make([]result[R], min(n, WaitingPerGoroutine*runtime.GOMAXPROCS(0)))
	m.turn.L = &m.mu
	m.failed.at.Store(math.MaxInt64)
	return m
}

// body returns a function that calls f for a part and merges the result.
func (m *merger[R]) body(f func(k int, failed *Failure) (R, error)) func(k int) {
	return func(k int) {
		if !m.enter(k) {
			return
		}
		returned := false
		defer func() {
			if !returned {
				m.abandon()
			}
		}()
		r, err := f(k, &m.failed)
		m.leave(k, r, err)
		returned = true
	}
}

// enter waits until there is room for the result of part k. All parts before k have entered already, and the first
// unfinished part never waits, so enter returns in the end. It returns false if the part need not be done.
func (m *merger[R]) enter(k int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for k-m.next >= len(m.waiting) && !m.abandoned && !m.failed.Before(k) {
		m.turn.Wait()
	}
	return !m.abandoned && !m.failed.Before(k)
}

// leave takes the result of part k, and merges all results whose turn has come.
func (m *merger[R]) leave(k int, r R, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.turn.Broadcast()
	if err != nil {
		if !m.failed.Before(k) {
			m.failed.err = err
			m.failed.at.Store(int64(k))
		}
		return
	}
	m.waiting[k%len(m.waiting)] = result[R]{r, true}
	for {
		w := &m.waiting[m.next%len(m.waiting)]
		if !w.ready {
			return
		}
		m.results.Add(w.r)
		*w = result[R]{}
		m.next++
	}
}

// abandon makes all waiting calls of enter return false.
func (m *merger[R]) abandon() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.abandoned = true
	m.turn.Broadcast()
}

// A MergeTree merges results in pairs, the merged pairs in pairs, and so on. The pairs depend only on the number of
// results. For each bit of n that is set, the tree holds one result, merged from as many as the bit is worth; the
// largest comes first.
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

// Total returns the result of merging all results, or the zero R if there are none. It empties the tree.
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
