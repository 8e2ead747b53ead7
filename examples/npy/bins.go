package main

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// binLimits are the limits of the number of bins of a histogram.
type binLimits struct{ least, most int }

var (
	defaultBins = binLimits{11, 20}
	flagBins    = binLimits{2, 1 << 16} // for -bins
)

// realBins are the bins of a histogram of floats, with the edges of numpy.histogram: bin k holds x if edges[k] <= x <
// edges[k+1]. The last bin includes its upper edge.
type realBins struct {
	edges []float64 // ascending

	// The edge nearest to x is number (x*unit-low)*scale, rounded. x belongs to the bin that ends there if it is less than
	// that number's element of bounds, and otherwise to the bin that starts there. A unit of 0 means that this shortcut is
	// not exact; search is used instead.
	unit, low, scale float64
	bounds           []float64
}

// newRealBins returns n bins of equal width from lo to hi, which must be finite. There are fewer than n if few floats
// lie between lo and hi, one bin if lo == hi, and none if lo > hi.
func newRealBins(lo, hi float64, n int) *realBins {
	b := new(realBins)
	switch {
	case lo > hi:
		return b
	case lo == hi:
		b.edges = []float64{lo, hi}
		return b
	}
	unit := 1.0 // scales distances down if they would overflow
	if math.IsInf(hi-lo, 1) {
		unit = 0.5
	}
	step := (hi*unit - lo*unit) / float64(n)
	var edges []float64
	for k := range n {
		past := float64(float64(k) * step) // the conversion rounds the product even on processors with a fused multiply-add
		edges = append(edges, (lo*unit+past)/unit)
	}
	b.edges = slices.Compact(append(edges, hi))
	if b.n() == n {
		b.setScale(unit)
	}
	return b
}

func (b *realBins) n() int { return max(0, len(b.edges)-1) }

// binCounts counts the floats in each bin: bin k is at index k+1, and the first and the last index count floats outside
// all bins. Consecutive floats are counted in different rows of the array, because successive increments of the same
// counter are slow: each must wait until the previous one is stored.
type binCounts [4][]int

// newCounts returns counts for b.
func (b *realBins) newCounts() *binCounts {
	c := new(binCounts)
	for k := range c {
		c[k] = make([]int, b.n()+2)
	}
	return c
}

// addTo adds the number of floats in each bin to total.
func (c *binCounts) addTo(total []int) {
	for _, counts := range c {
		for k := range total {
			total[k] += counts[k+1]
		}
	}
}

// count counts the floats of s into c.
func (b *realBins) count(c *binCounts, s []float64) {
	if b.unit == 0 {
		for _, x := range s {
			c[0][b.search(x)+1]++
		}
		return
	}
	unit, low, scale, bounds := b.unit, b.low, b.scale, b.bounds
	for len(s) >= len(c) {
		for k, x := range s[:len(c):len(c)] {
			at := int(float64((x*unit-low)*scale) + 0.5) // any number if x is infinite or NaN
			if uint(at) >= uint(len(bounds)) {
				at = len(bounds) - 1 // past all bins: no x reaches this bound
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

// search returns the bin of x, or -1 if x is outside all bins.
func (b *realBins) search(x float64) int {
	last := b.n() - 1
	if last < 0 || !(x >= b.edges[0] && x <= b.edges[last+1]) {
		return -1
	}
	k, isEdge := slices.BinarySearch(b.edges, x)
	if !isEdge {
		k--
	}
	return min(k, last)
}

// setScale sets unit, low, scale and bounds. It leaves unit 0 if the edges are so close to each other that rounding
// moves one of them by half a bin.
func (b *realBins) setScale(unit float64) {
	n := b.n()
	low := b.edges[0] * unit
	scale := float64(n) / (b.edges[n]*unit - low)
	for k, x := range b.edges {
		if off := float64((x*unit-low)*scale) - float64(k); !(off > -0.25 && off < 0.25) {
			return
		}
	}
	b.unit, b.low, b.scale = unit, low, scale
	b.bounds = append(slices.Clone(b.edges), math.NaN())
	b.bounds[n] = math.Nextafter(b.edges[n], math.Inf(1)) // the last bin includes its upper edge
}

// intBins are the bins of a histogram of integers: bin k holds x if lo + k*width <= x < lo + (k+1)*width. The width is
// an integer, so that all bins cover the same number of values.
type intBins struct {
	lo, width uint64
	last      int
	inverse   uint64 // 2^64/width, rounded down; 2^64-1 for width 1
}

// newIntBins returns bins for integers from lo to hi, where lo <= hi. Only the last bin may extend past hi. newIntBins
// tries widths for each number of bins within limits, where limits.least >= 2, and picks the width that covers most of
// the last bin. There may be fewer bins, because a width is an integer.
func newIntBins(lo, hi uint64, limits binLimits) intBins {
	var b intBins
	best := 0.0 // fraction of the last bin that is up to hi
	for n := uint64(limits.most); n >= uint64(limits.least); n-- {
		width := (hi-lo)/n + 1
		if part := float64((hi-lo)%width+1) / float64(width); part > best {
			best = part
			b = intBins{lo, width, int((hi - lo) / width), math.MaxUint64 / width}
		}
	}
	return b
}

func (b *intBins) n() int { return b.last + 1 }

// bin returns the bin that contains the integer lo + distance.
func (b *intBins) bin(distance uint64) uint64 {
	k, _ := bits.Mul64(distance, b.inverse) // distance/width, or one less
	if distance-k*b.width >= b.width {
		k++
	}
	return k
}

// edge returns the lower edge of bin k minus zero, the number that represents the integer 0.
func (b *intBins) edge(k int, zero uint64) *big.Int {
	x := new(big.Int).SetUint64(b.width)
	x.Mul(x, big.NewInt(int64(k)))
	x.Add(x, new(big.Int).SetUint64(b.lo))
	return x.Sub(x, new(big.Int).SetUint64(zero))
}
