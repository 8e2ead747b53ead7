package array

import (
	"runtime"
	"sync"

	"github.com/ndmap/ndmap/internal/strided"
)

// forBlocks calls f with blocks of n elements of c, each with what it returned for another one, or new at first, and
// returns the last of those: one for each goroutine at most. Blocks come in any order, so f must count, or do else
// what no order matters for. Report, if it is not nil, is called with bytes that have been done, and ends it by an
// error, which is returned.
func forBlocks[A any](c view, new func() A, f func(a A, block pointer, n int) A, report func(bytes int) error) (all []A,
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
	if report == nil {
		strided.Share(p.n, part)
		return all, nil
	}
	size := c.NBytes()
	wave := max(runtime.GOMAXPROCS(0), reportedBytes/max(1, size/max(1, p.n))) // parts from one report to the next
	err = strided.Waves(p.n, runtime.GOMAXPROCS(0), wave, func(first, last int) error {
		strided.Share(last-first, func(k int) { part(first + k) })
		return report(strided.Bound(size, last, p.n) - strided.Bound(size, first, p.n))
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
