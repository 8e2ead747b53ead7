package nd

import (
	"runtime"
	"sync"

	"github.com/ndmap/ndmap/internal/strided"
)

// ForBlocks calls f with blocks of n elements of c, each with what it returned for another one, or new at first, and
// returns the last of those: one for each goroutine at most. Blocks come in any order, so f must count, or do else
// what no order matters for. Report, if it is not nil, is called with bytes that have been done, and ends it by an
// error, which is returned.
func ForBlocks[A any](c Array, new func() A, f func(a A, block pointer, n int) A, report func(bytes int) error) (all []A,
	err error) {
	p := c.Pass()
	defer p.Ahead.Stop()
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
		p.Ahead.Enter(k)
		w := p.Part(k)
		for block, n := w.ReadBlock(); n > 0; block, n = w.ReadBlock() {
			a = f(a, block, n)
		}
		p.Ahead.Leave(k)
		mu.Lock()
		defer mu.Unlock()
		all = append(all, a)
	}
	if report == nil {
		strided.Share(p.N, part)
		return all, nil
	}
	size := c.NBytes()
	wave := max(runtime.GOMAXPROCS(0), ReportedBytes/max(1, size/max(1, p.N))) // parts from one report to the next
	err = strided.Waves(p.N, runtime.GOMAXPROCS(0), wave, func(first, last int) error {
		strided.Share(last-first, func(k int) { part(first + k) })
		return report(strided.Bound(size, last, p.N) - strided.Bound(size, first, p.N))
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
