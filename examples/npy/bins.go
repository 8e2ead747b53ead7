package main

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// mostBins is how many bins a histogram has, unless its elements call for fewer.
const mostBins = 20

// realBins are the bins of a histogram of floats. They are those of
// numpy.histogram: bin k has what is not less than edge k and less than the next
// one, and the last bin also its upper edge.
type realBins struct {
	edges []float64 // ascending
	lo    float64   // the first edge, times unit
	unit  float64   // less than 1 where distances would be infinite
	scale float64   // about how many bins there are to a distance of 1, times unit
}

// newRealBins are bins of one width for what is from lo to hi, which are finite.
// They are fewer where there are few floats in between, and one where lo is hi; for
// lo > hi there are none.
func newRealBins(lo, hi float64) realBins {
	b := realBins{unit: 1}
	switch {
	case lo > hi:
		return b
	case lo == hi:
		b.edges = []float64{lo, hi}
		return b
	case math.IsInf(hi-lo, 1):
		b.unit = 0.5
	}
	b.lo = lo * b.unit
	distance := hi*b.unit - b.lo
	step := distance / mostBins
	for k := range mostBins {
		past := float64(float64(k) * step) // rounded, on processors too that would fuse it with the sum
		b.edges = append(b.edges, (b.lo+past)/b.unit)
	}
	b.edges = slices.Compact(append(b.edges, hi))
	if b.scale = float64(b.n()) / distance; !finite(b.scale) {
		b.scale = 0
	}
	return b
}

func (b *realBins) n() int { return max(0, len(b.edges)-1) }

// count adds to counts how many of s each bin has. What is in no bin is infinite or
// NaN.
func (b *realBins) count(counts *[mostBins]int, s []float64) {
	last := b.n() - 1
	if last < 0 {
		return
	}
	lo, hi := b.edges[0], b.edges[last+1]
	for _, x := range s {
		if !(lo <= x && x <= hi) {
			continue
		}
		// The product may be rounded, the edges decide.
		k := min(int((x*b.unit-b.lo)*b.scale), last)
		for x < b.edges[k] {
			k--
		}
		for k < last && x >= b.edges[k+1] {
			k++
		}
		counts[k]++
	}
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
