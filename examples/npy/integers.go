package main

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/ndmap/ndmap/array"
)

// Integers are summarized as 64-bit unsigned integers of the same order, so that all results are exact. Signed integers
// are shifted by 2^63, so that 0 becomes signedZero.
const signedZero = 1 << 63

type wholeNumber interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}

// A wideInt is a 128-bit unsigned integer.
type wideInt struct{ low, high uint64 }

func (x wideInt) plus(y wideInt) wideInt {
	low, carry := bits.Add64(x.low, y.low, 0)
	return wideInt{low, x.high + y.high + carry}
}

func (x wideInt) big() *big.Int {
	b := new(big.Int).SetUint64(x.high)
	return b.Lsh(b, 64).Add(b, new(big.Int).SetUint64(x.low))
}

// integers holds the results of the first sweep over integers.
type integers struct {
	n      int // number of elements except NaT
	nat    int
	zeros  int
	lo, hi uint64
	sum    wideInt
}

// integersOf returns the results of the first sweep over s. If times is set, it ignores NaT, which is 0 after the
// shift.
func integersOf[T wholeNumber](s []T, zero uint64, times bool) integers {
	r := integers{lo: math.MaxUint64}
	for _, x := range s {
		x := uint64(x) ^ zero
		if x == 0 && times {
			r.nat++
			continue
		}
		if x < r.lo {
			r.lo = x
		}
		if x > r.hi {
			r.hi = x
		}
		if x == zero {
			r.zeros++
		}
		r.n++
		r.sum = r.sum.plus(wideInt{low: x})
	}
	return r
}

func (r integers) merge(p integers) integers {
	return integers{r.n + p.n, r.nat + p.nat, r.zeros + p.zeros, min(r.lo, p.lo), max(r.hi, p.hi), r.sum.plus(p.sum)}
}

// sumAbove returns the sum of all elements minus n times x.
func (r *integers) sumAbove(x uint64) *big.Int {
	all := new(big.Int).SetUint64(x)
	return new(big.Int).Sub(r.sum.big(), all.Mul(all, big.NewInt(int64(r.n))))
}

// quotient returns x/n, rounded once.
func quotient(x *big.Int, n int) float64 {
	f, _ := new(big.Rat).SetFrac(x, big.NewInt(int64(n))).Float64()
	return f
}

// summarizeIntegers summarizes integers or times in two sweeps.
func summarizeIntegers[T wholeNumber](w *sweepProgress, a array.Array, limits binLimits, zero uint64) (*summary,
	error) {
	times := isTime(a.DType())
	r, err := sweep(w, a, func(s []T) integers { return integersOf(s, zero, times) }, integers.merge)
	if err != nil {
		return nil, err
	}
	all := &summary{nan: r.nat, zeros: r.zeros, sum: r.sumAbove(zero)}
	if r.n == 0 {
		return all, nil
	}
	mean := quotient(r.sumAbove(r.lo), r.n) // relative to lo, because large numbers may differ by little
	bins := newIntBins(r.lo, r.hi, limits)
	all.counts = make([]int, bins.n())
	counts := counters[[]int]{make: func() *[]int { c := make([]int, bins.n()); return &c }}
	squares, err := sweep(w, a, func(s []T) (squares compensatedSum) {
		c := counts.take()
		defer counts.give(c)
		for s := range slices.Chunk(s, pairsLen) {
			var distances [pairsLen]float64
			for i, x := range s {
				x := uint64(x) ^ zero
				if x == 0 && times {
					distances[i] = math.NaN() // pairwiseSquares ignores NaN
					continue
				}
				distance := x - r.lo
				distances[i] = float64(distance)
				(*c)[bins.bin(distance)]++
			}
			squares.add(pairwiseSquares(distances[:len(s)], 1, mean))
		}
		return squares
	}, compensatedSum.plus)
	if err != nil {
		return nil, err
	}
	all.min, all.max = bigDifference(r.lo, zero), bigDifference(r.hi, zero)
	all.mean = quotient(all.sum.(*big.Int), r.n)
	all.std = math.Sqrt(squares.total() / float64(r.n))
	for k := range bins.n() + 1 {
		all.edges = append(all.edges, bins.edge(k, zero))
	}
	for _, c := range counts.free {
		for k, n := range *c {
			all.counts[k] += n
		}
	}
	return all, nil
}

// bigDifference returns x minus zero, the number that represents the integer 0.
func bigDifference(x, zero uint64) *big.Int {
	b := new(big.Int).SetUint64(x)
	return b.Sub(b, new(big.Int).SetUint64(zero))
}
