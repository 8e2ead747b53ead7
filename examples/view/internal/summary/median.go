package summary

import (
	"context"
	"math"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
)

// Box is what is asked of a part of an array: its moments, and the median of what is not NaN.
type Box struct {
	*Stats
	Median *float64 `json:"median"` // nil if that is infinite, or there is none
}

// BoxOf computes the moments and the median of all elements of a.
func BoxOf(ctx context.Context, a pick.Array, read pick.Reading, progress func(float64) error) (*Box, error) {
	s, err := Moments(ctx, a, read, func(x float64) error { return progress(x / 5) })
	if err != nil {
		return nil, err
	}
	b := &Box{Stats: s}
	if s.Count == 0 {
		return b, nil
	}
	walk := func(f func(array.View[float64]) error) error {
		return slabs(ctx, a, read, func(float64) error { return nil }, f)
	}
	finite, below := noExtremes, int64(0)
	err = walk(func(v array.View[float64]) error {
		t, err := extremes(v)
		if err != nil || v.Size() == 0 {
			return err
		}
		finite = finite.merge(t)
		n, err := array.Reduce(v, func(block []float64) (n int64, err error) {
			for _, x := range block {
				if math.IsInf(x, -1) {
					n++
				}
			}
			return n, nil
		}, func(a, b int64) int64 { return a + b })
		below += n
		return err
	})
	if err != nil || finite.n == 0 {
		return b, err
	}
	// Of the ranks among all, those among what is finite.
	rank := float64(s.Count-1)/2 - float64(below)
	if rank < 0 || rank > float64(finite.n-1) {
		return b, progress(1)
	}
	q, err := finiteQuantiles(walk, finite.pair, finite.n, rank)
	if err == nil {
		b.Median = number(q[0])
	}
	return b, err
}
