package nd

import (
	"math"
	"runtime"
	"sync"
)

// A merger merges results in their order, which come in any.
type merger[R any] struct {
	mu        sync.Mutex
	turn      sync.Cond // next, failed or abandoned changed
	next      int       // the result to merge next
	waiting   []result[R]
	all       MergeTree[R]
	failed    Failure
	abandoned bool // a call did not return: a panic, or the end of its goroutine
}

// A result of part k waits at k modulo the number of results that may wait.
type result[R any] struct {
	r     R
	ready bool
}

// WaitingPerGoroutine is how many results may wait for each goroutine.
const WaitingPerGoroutine = 4

func newMerger[R any](n int, merge func(a, b R) R) *merger[R] {
	s := &merger[R]{all: MergeTree[R]{Merge: merge}, waiting: make([]result[R], min(n, WaitingPerGoroutine*runtime.GOMAXPROCS(0)))}
	s.turn.L = &s.mu
	s.failed.at.Store(math.MaxInt64)
	return s
}

// do returns what calls f for a part.
func (s *merger[R]) do(f func(k int, failed *Failure) (R, error)) func(k int) {
	return func(k int) {
		if !s.enter(k) {
			return
		}
		returned := false
		defer func() {
			if !returned {
				s.abandon()
			}
		}()
		r, err := f(k, &s.failed)
		s.leave(k, r, err)
		returned = true
	}
}

// enter waits until there is room for the result of part k. Parts before it have been begun,
// and the first of them never waits. It returns false if the part need not be done.
func (s *merger[R]) enter(k int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k-s.next >= len(s.waiting) && !s.abandoned && !s.failed.Before(k) {
		s.turn.Wait()
	}
	return !s.abandoned && !s.failed.Before(k)
}

// leave takes the result of part k, and merges those whose turn has come.
func (s *merger[R]) leave(k int, r R, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.turn.Broadcast()
	if err != nil {
		if !s.failed.Before(k) {
			s.failed.err = err
			s.failed.at.Store(int64(k))
		}
		return
	}
	s.waiting[k%len(s.waiting)] = result[R]{r, true}
	for {
		w := &s.waiting[s.next%len(s.waiting)]
		if !w.ready {
			return
		}
		s.all.Add(w.r)
		*w = result[R]{}
		s.next++
	}
}

// abandon lets the waiting goroutines go.
func (s *merger[R]) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.abandoned = true
	s.turn.Broadcast()
}

// MergeTree merges results in pairs, the results of pairs in pairs, and so on. If bit k of n is
// set, one of results is that of 2^k, the largest first.
type MergeTree[R any] struct {
	Merge   func(a, b R) R
	n       uint
	results []R
}

func (p *MergeTree[R]) Add(r R) {
	for m := p.n; m&1 == 1; m >>= 1 {
		r = p.Merge(p.pop(), r)
	}
	p.results = append(p.results, r)
	p.n++
}

func (p *MergeTree[R]) pop() (r R) {
	last := len(p.results) - 1
	r, p.results[last] = p.results[last], r // nothing is kept alive
	p.results = p.results[:last]
	return r
}

// Total returns what all results are merged to, the zero R if there are none.
func (p *MergeTree[R]) Total() (r R) {
	if len(p.results) == 0 {
		return r
	}
	for r = p.pop(); len(p.results) > 0; {
		r = p.Merge(p.pop(), r)
	}
	return r
}
