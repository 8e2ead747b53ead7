package array

import (
	"github.com/ndmap/ndmap/internal/nd"
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
	p := v.view.Pass()
	defer p.Ahead.Stop()
	return nd.InOrder(p.N, func(k int, failed *nd.Failure) (R, error) {
		p.Ahead.Enter(k)
		w := p.Part(k)
		all := nd.MergeTree[R]{Merge: merge}
		for block, n := w.ReadBlock(); n > 0 && !failed.Before(k); block, n = w.ReadBlock() {
			r, err := f(strided.Slice[T](block, n))
			if err != nil {
				return r, err
			}
			all.Add(r)
		}
		p.Ahead.Leave(k)
		return all.Total(), nil
	}, merge)
}
