package main

import (
	"math"
	"math/big"

	"github.com/ndmap/ndmap/array"
)

// Integers of up to 16 bits are summarized by counting each value, which gives exact results in one sweep.

// values is the number of different values. The index of x is uint16(x).
const values = 1 << 16

// A tally counts occurrences of each value. Consecutive elements are counted in two alternating arrays, so that an
// increment does not wait for the previous one to be stored. The counters are short to take less cache.
type tally struct {
	even, odd [values]uint16
	more      [values]int // 1<<16 for each overflow of a counter in even or odd
}

func (t *tally) add(s []uint16) {
	for len(s) >= 2 {
		x, y := s[0], s[1]
		t.even[x]++
		if t.even[x] == 0 {
			t.more[x] += 1 << 16
		}
		t.odd[y]++
		if t.odd[y] == 0 {
			t.more[y] += 1 << 16
		}
		s = s[2:]
	}
	for _, x := range s {
		t.more[x]++
	}
}

// totalOf returns the number of occurrences of each value in all tallies.
func totalOf(tallies []*tally) *[values]int {
	var total [values]int
	for _, t := range tallies {
		for x := range total {
			total[x] += int(t.even[x]) + int(t.odd[x]) + t.more[x]
		}
	}
	return &total
}

// summarizeShorts summarizes integers of up to 16 bits in one sweep.
func summarizeShorts(w *sweepProgress, a array.Array, limits binLimits, signed bool) (*summary, error) {
	w.total /= 2
	tallies, err := sweepCounting(w, a, func() *tally { return new(tally) }, (*tally).add)
	if err != nil {
		return nil, err
	}
	return summaryOf(totalOf(tallies), limits, signed), nil
}

// summaryOf returns the summary of numbers, given the number of occurrences of each value.
func summaryOf(each *[values]int, limits binLimits, signed bool) *summary {
	least, zero := 0, uint64(0) // zero as bins count it, which are for unsigned integers
	if signed {
		least, zero = math.MinInt16, signedZero
	}
	var n, sum int64
	var squares wideInt
	var lo, hi int
	for x := least; x < least+values; x++ {
		c := each[uint16(x)]
		if c == 0 {
			continue
		}
		if n == 0 {
			lo = x
		}
		hi = x
		n += int64(c)
		sum += int64(c) * int64(x)
		squares = squares.plus(wideInt{low: uint64(c) * uint64(int64(x)*int64(x))})
	}
	all := &summary{sum: big.NewInt(sum)}
	if n == 0 {
		return all
	}
	bins := newIntBins(uint64(lo)^zero, uint64(hi)^zero, limits)
	all.counts = make([]int, bins.n())
	for x := lo; x <= hi; x++ {
		all.counts[bins.bin(uint64(x-lo))] += each[uint16(x)]
	}
	all.zeros = each[0]
	all.min, all.max = bigDifference(uint64(lo)^zero, zero), bigDifference(uint64(hi)^zero, zero)
	all.mean = quotient(big.NewInt(sum), int(n))
	// The variance is (n * sum of squares - square of the sum) / n².
	count := big.NewInt(n)
	of := squares.big()
	of.Mul(of, count).Sub(of, new(big.Int).Mul(big.NewInt(sum), big.NewInt(sum)))
	variance, _ := new(big.Rat).SetFrac(of, count.Mul(count, count)).Float64()
	all.std = math.Sqrt(variance)
	for k := range bins.n() + 1 {
		all.edges = append(all.edges, bins.edge(k, zero))
	}
	return all
}
