package main

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/ndmap/ndmap/internal/kernel"
)

// mostBins is how many bins a histogram has, unless its elements call for fewer.
const mostBins = 20

// realBins are the bins of a histogram of floats. They are those of
// numpy.histogram: bin k has what is not less than edge k and less than the next
// one, and the last bin also its upper edge.
type realBins struct {
	edges []float64 // ascending
}

// newRealBins are bins of one width for what is from lo to hi, which are finite.
// They are fewer where there are few floats in between, and one where lo is hi; for
// lo > hi there are none.
func newRealBins(lo, hi float64) realBins {
	switch {
	case lo > hi:
		return realBins{}
	case lo == hi:
		return realBins{[]float64{lo, hi}}
	}
	unit := 1.0 // less where distances would be infinite
	if math.IsInf(hi-lo, 1) {
		unit = 0.5
	}
	step := (hi*unit - lo*unit) / mostBins
	var edges []float64
	for k := range mostBins {
		past := float64(float64(k) * step) // rounded, on processors too that would fuse it with the sum
		edges = append(edges, (lo*unit+past)/unit)
	}
	return realBins{slices.Compact(append(edges, hi))}
}

func (b *realBins) n() int { return max(0, len(b.edges)-1) }

// A tally is how many numbers are less than each of some bounds.
type tally [kernel.MostBounds]int

// Of the bounds of a tally, the first are where all bins start but the first one.
const (
	atZero    = mostBins - 1 // this one is 0,
	aboveZero = mostBins     // and this one the next number
)

// bounds returns the bounds of a tally which tells how many numbers each bin has, and how
// many are zero.
func (b *realBins) bounds() (bounds [kernel.MostBounds]float64) {
	for k := 1; k < b.n(); k++ {
		bounds[k-1] = b.edges[k]
	}
	bounds[aboveZero] = math.SmallestNonzeroFloat64
	return bounds
}

// tallyOf returns what less has counted.
func tallyOf[T int16 | uint16 | float64](less *kernel.Tally[T]) (t tally) {
	for k := range t {
		t[k] = less.Less(k)
	}
	return t
}

func (t tally) merge(u tally) tally {
	for k, n := range u {
		t[k] += n
	}
	return t
}

func (t *tally) zeros() int { return t[aboveZero] - t[atZero] }

// bins returns how many numbers each of n bins has, which begin after the first from
// numbers and end with number to.
func (t *tally) bins(n, from, to int) []int {
	counts := make([]int, n)
	for k := range counts {
		end := to
		if k < n-1 {
			end = t[k]
		}
		counts[k] = end - from
		from = end
	}
	return counts
}

// intBins are the bins of a histogram of integers: bin k has what is not less than
// lo plus k widths and less than lo plus k+1. The width is an integer, so that all
// bins have the same chance.
type intBins struct {
	lo, width uint64
	last      int
	inverse   uint64 // 2^64/width, rounded down; for 1 it is less by one
}

// newIntBins are bins for what is from lo to hi, where lo is not more than hi. Only
// the last one may reach past hi; it does so as little as a choice of widths allows,
// for it to be no shorter than the others.
func newIntBins(lo, hi uint64) intBins {
	var b intBins
	best := 0.0 // which part of the last bin is up to hi
	for n := uint64(mostBins); n > mostBins/2; n-- {
		width := (hi-lo)/n + 1
		if part := float64((hi-lo)%width+1) / float64(width); part > best {
			best = part
			b = intBins{lo, width, int((hi - lo) / width), math.MaxUint64 / width}
		}
	}
	return b
}

func (b *intBins) n() int { return b.last + 1 }

// bin is the bin that is that far from lo.
func (b *intBins) bin(distance uint64) uint64 {
	k, _ := bits.Mul64(distance, b.inverse) // the quotient, or one less
	if distance-k*b.width >= b.width {
		k++
	}
	return k
}

// edge is where bin k starts, and the one before it ends, counted from zero.
func (b *intBins) edge(k int, zero uint64) *big.Int {
	x := new(big.Int).SetUint64(b.width)
	x.Mul(x, big.NewInt(int64(k)))
	x.Add(x, new(big.Int).SetUint64(b.lo))
	return x.Sub(x, new(big.Int).SetUint64(zero))
}
