package main

import (
	"math"
	"math/big"

	"github.com/ndmap/ndmap/internal/kernel"
)

// Integers of up to 16 bits are summarized by their sum and that of their squares, which
// are exact.

// shorts is what a first sweep finds.
type shorts[T int16 | uint16] struct {
	n       int
	lo, hi  T
	sum     int64
	squares uint64
}

func (r *shorts[T]) add(s []T) {
	lo, hi := kernel.MinMax(s)
	if r.n > 0 {
		lo, hi = min(lo, r.lo), max(hi, r.hi)
	}
	r.lo, r.hi = lo, hi
	sum, squares := kernel.SumSquares(s)
	r.sum += sum
	r.squares += squares
	r.n += len(s)
}

// summarizeShorts says what there is to say of short integers, in two sweeps.
func summarizeShorts[T int16 | uint16](w *work, s source[T]) (*summary, error) {
	parts, err := sweep(w, s, shorts[T]{}, (*shorts[T]).add)
	if err != nil {
		return nil, err
	}
	n, lo, hi := 0, T(0), T(0)
	sum, squares := new(big.Int), new(big.Int)
	for _, p := range parts {
		if n == 0 {
			lo, hi = p.lo, p.hi
		}
		if p.n > 0 {
			lo, hi = min(lo, p.lo), max(hi, p.hi)
		}
		n += p.n
		sum.Add(sum, big.NewInt(p.sum))
		squares.Add(squares, new(big.Int).SetUint64(p.squares))
	}
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
	tallies, err := sweep(w, s, kernel.NewTally(bounds[:]...), (*kernel.Tally[T]).Add)
	if err != nil {
		return nil, err
	}
	var less [kernel.MostBounds]int
	for k := range tallies {
		for i := range less {
			less[i] += tallies[k].Less(i)
		}
	}
	all.zeros = less[aboveZero] - less[atZero]
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
	all.counts = binCounts(less[:], bins.n(), 0, n)
	return all, nil
}
