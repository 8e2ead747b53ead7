package main

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
)

// mostBins is the maximum number of bins of a histogram.
const mostBins = 20

// realBins are the bins of a histogram of floats, with the edges of numpy.histogram: bin k holds x if edges[k] <= x <
// edges[k+1]. The last bin includes its upper edge.
type realBins struct {
	edges []float64 // ascending

	// The edge nearest to x is number (x*unit-low)*scale, rounded. x belongs to the bin that ends there if it is less than
	// that number's element of bounds, and otherwise to the bin that starts there. A unit of 0 means that this shortcut is
	// not exact; search is used instead.
	unit, low, scale float64
	bounds           [mostBins + 2]float64
}

// newRealBins returns bins of equal width from lo to hi, which must be finite. There are fewer than mostBins if few
// floats lie between lo and hi, one bin if lo == hi, and none if lo > hi.
func newRealBins(lo, hi float64) *realBins {
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
	step := (hi*unit - lo*unit) / mostBins
	var edges []float64
	for k := range mostBins {
		past := float64(float64(k) * step) // the conversion rounds the product even on processors with a fused multiply-add
		edges = append(edges, (lo*unit+past)/unit)
	}
	b.edges = slices.Compact(append(edges, hi))
	b.setScale(unit)
	return b
}

func (b *realBins) n() int { return max(0, len(b.edges)-1) }

// binCounts counts the floats in each bin: bin k is at index k+1, and the first and the last index count floats outside
// all bins. Consecutive floats are counted in different rows of the array, because successive increments of the same
// counter are slow: each must wait until the previous one is stored.
type binCounts [4][mostBins + 2]uint32

func (c *binCounts) total() (total [mostBins]int) {
	for _, counts := range c {
		for k := range total {
			total[k] += int(counts[k+1])
		}
	}
	return total
}

// count counts the floats of s into c. c and s together must hold fewer than 2^32 floats.
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
			at := int(float64((x*unit-low)*scale) + 0.5) // any number if x is infinite or NaN
			if uint(at) > mostBins {
				at = mostBins + 1 // past all bins: no x reaches this bound
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
	k := 0
	for k < last && x >= b.edges[k+1] {
		k++
	}
	return k
}

// setScale sets unit, low, scale and bounds. It leaves unit 0 if the edges are so close to each other that rounding
// moves one of them by half a bin.
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
	b.bounds[mostBins] = math.Nextafter(b.edges[mostBins], math.Inf(1)) // the last bin includes its upper edge
	b.bounds[mostBins+1] = math.NaN()
}

// intBins are the bins of a histogram of integers: bin k holds x if lo + k*width <= x < lo + (k+1)*width. The width is
// an integer, so that all bins cover the same number of values.
type intBins struct {
	lo, width uint64
	last      int
	inverse   uint64 // 2^64/width, rounded down; 2^64-1 for width 1
}

// newIntBins returns bins for integers from lo to hi, where lo <= hi. Only the last bin may extend past hi. Among the
// possible widths, newIntBins picks the one that covers most of the last bin.
func newIntBins(lo, hi uint64) intBins {
	var b intBins
	best := 0.0 // fraction of the last bin that is up to hi
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
