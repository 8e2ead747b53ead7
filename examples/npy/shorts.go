package main

import (
	"math"
	"math/big"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/kernel"
)

// Integers of up to 16 bits are summarized by their sum and that of their squares, which
// are exact.

// shorts is what a first sweep finds.
type shorts[T int16 | uint16] struct {
	n       int
	lo, hi  T
	sum     int64
	squares wideInt
}

func shortsOf[T int16 | uint16](s []T) (r shorts[T]) {
	r.n = len(s)
	r.lo, r.hi = kernel.MinMax(s, 0)
	r.sum, r.squares.low = kernel.SumSquares(s)
	return r
}

func (r shorts[T]) merge(p shorts[T]) shorts[T] {
	return shorts[T]{r.n + p.n, min(r.lo, p.lo), max(r.hi, p.hi), r.sum + p.sum, r.squares.plus(p.squares)}
}

// summarizeShorts says what there is to say of short integers, in two sweeps.
func summarizeShorts[T int16 | uint16](w *work, a array.Array) (*summary, error) {
	r, err := sweep(w, a, shortsOf[T], shorts[T].merge)
	if err != nil {
		return nil, err
	}
	n, lo, hi := r.n, r.lo, r.hi
	sum, squares := big.NewInt(r.sum), r.squares.big()
	all := &summary{sum: sum}
	if n == 0 {
		return all, nil
	}
	zero := uint64(0) // of bins, which are of unsigned integers
	if least := T(0); least-1 < 0 {
		zero = signedZero
	}
	bins := newIntBins(uint64(lo)^zero, uint64(hi)^zero)
	var bounds [kernel.MostBounds]T
	for k := 1; k < bins.n(); k++ {
		bounds[k-1] = T((bins.lo + uint64(k)*bins.width) ^ zero)
	}
	bounds[aboveZero] = 1
	less, err := sweep(w, a, func(block []T) tally {
		less := kernel.NewTally(bounds[:]...)
		less.Add(block)
		return tallyOf(&less)
	}, tally.merge)
	if err != nil {
		return nil, err
	}
	all.zeros = less.zeros()
	all.min, all.max = from(uint64(lo)^zero, zero), from(uint64(hi)^zero, zero)
	all.mean = over(sum, n)
	// The variance is n times the squares less the square of the sum, over n².
	count := big.NewInt(int64(n))
	squares.Mul(squares, count).Sub(squares, new(big.Int).Mul(sum, sum))
	variance, _ := new(big.Rat).SetFrac(squares, count.Mul(count, count)).Float64()
	all.std = math.Sqrt(variance)
	for k := range bins.n() + 1 {
		all.edges = append(all.edges, bins.edge(k, zero))
	}
	all.counts = less.bins(bins.n(), 0, n)
	return all, nil
}
