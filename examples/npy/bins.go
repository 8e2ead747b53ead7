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

	// The edge that is nearest to x is number (x*unit - low)*scale, rounded, and x is in the bin before it if it is less
	// than that of bounds, and else in the next. If unit is 0 that does not hold.
	unit, low, scale float64
	bounds           [mostBins + 2]float64
}

// newRealBins are bins of one width for what is from lo to hi, which are finite.
// They are fewer where there are few floats in between, and one where lo is hi; for
// lo > hi there are none.
func newRealBins(lo, hi float64) *realBins {
	b := new(realBins)
	switch {
	case lo > hi:
		return b
	case lo == hi:
		b.edges = []float64{lo, hi}
		return b
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
	b.edges = slices.Compact(append(edges, hi))
	b.setScale(unit)
	return b
}

func (b *realBins) n() int { return max(0, len(b.edges)-1) }

// binCounts are how many floats each bin has: bin k is at k+1, and the first and the last are floats in no bin. Those
// that follow one another are counted by turns in several places, so that no count waits for the one before it to be
// stored.
type binCounts [4][mostBins + 2]uint32

func (c *binCounts) total() (total [mostBins]int) {
	for _, counts := range c {
		for k := range total {
			total[k] += int(counts[k+1])
		}
	}
	return total
}

// count counts the floats of s, which are fewer than 2^32 with those of c.
func (b *realBins) count(c *binCounts, s []float64) {
	if b.unit == 0 {
		for _, x := range s {
			c[0][b.search(x)+1]++
		}
		return
	}
	unit, low, scale, bounds := b.unit, b.low, b.scale, &b.bounds
	for len(s) >= len(c) {
		for k, x := range s[:len(c):len(c)] {
			at := int(float64((x*unit-low)*scale) + 0.5) // of what is infinite or NaN, any number
			if uint(at) > mostBins {
				at = mostBins + 1 // of which nothing is as much
			}
			c[k][at+oneIf(x >= bounds[at])]++
		}
		s = s[len(c):]
	}
	for _, x := range s {
		c[0][b.search(x)+1]++
	}
}

func oneIf(is bool) int {
	if is {
		return 1
	}
	return 0
}

// search returns the bin of x, and -1 if it is in none.
func (b *realBins) search(x float64) int {
	last := b.n() - 1
	if last < 0 || !(x >= b.edges[0] && x <= b.edges[last+1]) {
		return -1
	}
	k := 0
	for k < last && x >= b.edges[k+1] {
		k++
	}
	return k
}

// setScale sets what takes a float to the edge that is nearest to it, but where edges are so near one another that
// rounding moves one by half a bin.
func (b *realBins) setScale(unit float64) {
	if b.n() < mostBins {
		return
	}
	low := b.edges[0] * unit
	scale := mostBins / (b.edges[mostBins]*unit - low)
	for k, x := range b.edges {
		if off := float64((x*unit-low)*scale) - float64(k); !(off > -0.25 && off < 0.25) {
			return
		}
	}
	b.unit, b.low, b.scale = unit, low, scale
	copy(b.bounds[:], b.edges)
	b.bounds[mostBins] = math.Nextafter(b.edges[mostBins], math.Inf(1)) // the last bin has its upper edge
	b.bounds[mostBins+1] = math.NaN()
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
