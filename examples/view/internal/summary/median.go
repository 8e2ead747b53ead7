package summary

import (
	"context"
	"math"
	"math/big"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
)

// A Box holds the moments of a part of an array, and the median of its elements that are not NaN.
type Box struct {
	*Stats
	Median *Number `json:"median"`
	Middle string  `json:"middle,omitempty"` // median of 64-bit integers, in decimal
}

// BoxOf computes the moments and the median of the elements of a.
func BoxOf(ctx context.Context, a pick.Array, read pick.Reading, progress func(float64) error) (*Box, error) {
	w := wideStatsOf(a)
	s, err := moments(ctx, a, read, func(x float64) error { return progress(x / 5) }, w)
	if err != nil {
		return nil, err
	}
	b := &Box{Stats: s}
	if s.Count == 0 {
		return b, nil
	}
	x, y, err := middleElements(ctx, a, read, s.Count)
	if err != nil {
		return nil, err
	}
	m := (x + y) / 2
	if math.IsInf(m, 0) { // x + y may overflow
		m = x/2 + y/2
	}
	b.Median = numberPtr(m)
	if w != nil {
		far := max(math.Abs(float64(*s.Min)), math.Abs(float64(*s.Max))) > 1<<53 // far from Base, and therefore rounded
		var sum big.Int
		for k, x := range []float64{x, y} {
			base := read.Base
			if far {
				base = w.nearestBase(base, x)
				near, other, err := middleElements(ctx, a, pick.Reading{Base: base}, s.Count)
				if err != nil {
					return nil, err
				}
				if x = near; k == 1 {
					x = other
				}
			}
			n, _ := big.NewFloat(x).Int(nil)
			sum.Add(&sum, n.Add(n, w.integer(base)))
		}
		b.Middle = new(big.Float).SetPrec(66).Quo(new(big.Float).SetPrec(66).SetInt(&sum), big.NewFloat(2)).Text('f', -1)
	}
	return b, progress(1)
}

// middleElements returns the one or two middle elements of a. count is the number of elements that are not NaN. If only
// one of the two is infinite, the finite one is returned as 0.
func middleElements(ctx context.Context, a pick.Array, read pick.Reading, count int64) (x, y float64, err error) {
	walk := func(f func(array.View[float64]) error) error {
		return eachSlab(ctx, a, read, func(float64) error { return nil }, f)
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
	if err != nil {
		return 0, 0, err
	}
	// Compute the ranks among the finite numbers: -inf has ranks below 0, and inf has ranks of at least finite.n.
	rank := float64(count-1)/2 - float64(below)
	first, last := math.Floor(rank), math.Ceil(rank)
	x, y = infinityAt(first, finite.n), infinityAt(last, finite.n)
	if x != 0 || y != 0 {
		return x, y, nil
	}
	q, err := finiteQuantiles(walk, finite.pair, finite.n, first, last)
	if err != nil {
		return 0, 0, err
	}
	return q[0], q[1], nil
}

// infinityAt returns the infinity with the given rank, or 0 if the element of this rank is finite.
func infinityAt(rank float64, finite int64) float64 {
	switch {
	case rank < 0:
		return math.Inf(-1)
	case rank >= float64(finite):
		return math.Inf(1)
	}
	return 0
}
