package array

import (
	"runtime"
	"sync"

	"github.com/ndmap/ndmap/internal/strided"
)

// forBlocks calls f with blocks of n elements of c, each with what it returned for another one, or new at first, and
// returns the last of those: one for each goroutine at most. Blocks come in any order, so f must count, or do else
// what no order matters for. The error is that of report.
func forBlocks[A any](c view, report *progress, new func() A, f func(a A, block pointer, n int) A) (all []A,
	err error) {
	p := c.pass()
	defer p.ahead.Stop()
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
		p.ahead.Enter(k)
		w := p.part(k)
		for block, n := w.nextBlock(); n > 0; block, n = w.nextBlock() {
			a = f(a, block, n)
		}
		p.ahead.Leave(k)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, a)
	}
	wave := p.n // parts from one report to the next
	if size := c.NBytes(); report != nil && size > 0 {
		wave = max(runtime.GOMAXPROCS(0), report.piece/max(1, size/p.n))
	}
	for first := 0; first < p.n; first += wave {
		last := min(first+wave, p.n)
		strided.Share(last-first, func(k int) { part(first + k) })
		if report != nil {
			size := c.NBytes()
			if err := report.add(strided.Bound(size, last, p.n) - strided.Bound(size, first, p.n)); err != nil {
				return nil, err
			}
		}
	}
	return all, nil
}
