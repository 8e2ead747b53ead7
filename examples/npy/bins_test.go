package main

import (
	"math"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestIntBins tests that the bin of each integer is its distance from lo divided by the width, for widths and ranges of
// all sizes.
func TestIntBins(t *testing.T) {
	r := oracle.Rand(t, 2)
	ranges := [][2]uint64{{0, 0}, {5, 5}, {0, 19}, {0, 20}, {0, 255}, {1, math.MaxUint64}, {0, math.MaxUint64},
		{math.MaxUint64, math.MaxUint64}, {0, math.MaxUint64}, {0, math.MaxUint64}, {0, 1}, {0, math.MaxUint64}}
	for range 1000 {
		lo, hi := r.Uint64()>>r.UintN(64), r.Uint64()>>r.UintN(64)
		ranges = append(ranges, [2]uint64{min(lo, hi), max(lo, hi)})
	}
	for i, tt := range ranges {
		lo, hi := tt[0], tt[1]
		limits := []binLimits{defaultBins, {2, 2}, {3, 3}, {256, 256}, {1000, 1000}}[i%5]
		if i < 8 {
			limits = defaultBins
		}
		b := newIntBins(lo, hi, limits)
		n, floor := uint64(limits.most), max(8, limits.least/2)
		if limits.most < 16 {
			floor = limits.least - 1
		}
		if b.n() > limits.most || b.lo != lo || hi-lo > n && b.n() < floor || hi-lo < n && b.width != 1 {
			t.Errorf("%d to %d: %d bins of %d, want %v", lo, hi, b.n(), b.width, limits)
		}
		for k := range uint64(b.n()) {
			start := k * b.width
			for _, x := range []uint64{start, start + b.width/2, start + b.width - 1} {
				if got := b.bin(x); x <= hi-lo && got != x/b.width {
					t.Errorf("%d to %d, bins of %d: %d is in bin %d", lo, hi, b.width, x, got)
				}
			}
		}
		if got := b.bin(hi - lo); got != uint64(b.last) {
			t.Errorf("%d to %d: the last one is in bin %d of %d", lo, hi, got, b.n())
		}
	}
}

// TestRealBins tests that each float is in the bin whose edges enclose it, also if distances overflow or the range
// contains few floats.
func TestRealBins(t *testing.T) {
	const tiny = math.SmallestNonzeroFloat64
	r := oracle.Rand(t, 2)
	for _, tt := range []struct {
		lo, hi float64
		n      int
	}{
		{0, 1, 20}, {-1, 1, 20}, {1, 1, 1}, {0, 0, 1}, {1, 0, 0}, {math.Inf(1), math.Inf(-1), 0},
		{-math.MaxFloat64, math.MaxFloat64, 20}, {0, math.MaxFloat64, 20}, {-math.MaxFloat64, -1, 20},
		{0, tiny, 2}, {0, 7 * tiny, 8}, {-tiny, tiny, 3}, {0, 1000 * tiny, 20},
		{1, math.Nextafter(1, 2), 1}, {1, 1 + 5*0x1p-52, 6}, {1e300, 1e300 * (1 + 3*0x1p-52), 4}, {-5e-324, 1e308, 20},
		{0, 1, 100}, {-1, 3, 256}, {-math.MaxFloat64, math.MaxFloat64, 99},
	} {
		b := newRealBins(tt.lo, tt.hi, max(20, tt.n))
		if tt.n == 0 && b.n() > 0 || tt.n == 1 && b.n() != 1 || b.n() > max(20, tt.n) || tt.n >= 20 && b.n() != tt.n {
			t.Errorf("%v to %v: %d bins, want %d", tt.lo, tt.hi, b.n(), tt.n)
		}
		if b.n() == 0 {
			continue
		}
		if b.edges[0] != tt.lo || b.edges[b.n()] != tt.hi {
			t.Errorf("%v to %v: edges %v", tt.lo, tt.hi, b.edges)
		}
		s := append([]float64{tt.lo, tt.hi, math.NaN(), math.Inf(1), math.Inf(-1)}, b.edges...)
		for range 1000 {
			p := r.Float64()
			s = append(s, tt.lo*(1-p)+tt.hi*p)
		}
		for _, x := range b.edges {
			s = append(s, math.Nextafter(x, math.Inf(1)), math.Nextafter(x, math.Inf(-1)))
		}
		want := make([]int, b.n())
		for _, x := range s {
			for k := range b.n() {
				if b.edges[k] <= x && (x < b.edges[k+1] || k == b.n()-1 && x == tt.hi) {
					want[k]++
				}
			}
		}
		c, got := b.newCounts(), make([]int, b.n())
		b.count(c, s)
		if c.addTo(got); !slices.Equal(got, want) {
			t.Errorf("%v to %v: got %v, want %v", tt.lo, tt.hi, got, want)
		}
	}
}

// TestTwofold tests that a compensatedSum does not lose the rounding errors of a sum.
func TestTwofold(t *testing.T) {
	var sum compensatedSum
	for _, x := range []float64{1e100, 1, -1e100, 1e-20, 2} {
		sum.add(x)
	}
	if got := sum.total(); got != 3 {
		t.Errorf("got %v, want 3", got)
	}
	var parts [3]compensatedSum
	for i, x := range []float64{1e16, 1, 1, -1e16, 0.5, 0.25} {
		parts[i/2].add(x)
	}
	sum = compensatedSum{}
	for _, p := range parts {
		sum.merge(p)
	}
	if got := sum.total(); got != 2.75 {
		t.Errorf("got %v, want 2.75", got)
	}
}

// TestWideSum tests sums whose intermediate sums overflow, and sums that overflow but have a finite mean.
func TestWideSum(t *testing.T) {
	const big = math.MaxFloat64
	inf := math.Inf(1)
	for _, tt := range []struct {
		in        []float64
		sum, mean float64
	}{
		{nil, 0, math.NaN()},
		{[]float64{1e308, 1e308, -1e308, -1e308, -1e308, -1e308, -1e308, -1e308, -1e308}, -inf, -5e308 / 9},
		{[]float64{1e308, 1e308, -1e308}, 1e308, 1e308 / 3},
		{[]float64{big, big, big, -big, -big}, big, big / 5},
		{[]float64{big, big, -big, -big, 5e-324, 5e-324}, 1e-323, 0},
		{[]float64{big, big, 3, -big, -big}, 3, 0.6},
		{[]float64{big, big}, inf, big},
		{[]float64{-big, -big, -big}, -inf, -big},
		{[]float64{big, -big}, 0, 0},
		{[]float64{big, 0x1p969, -big}, 0x1p969, 0x1p969 / 3}, // the second term is half a unit in the last place of big
	} {
		// Add the terms in order, in parts of any length.
		for parts := 1; parts <= len(tt.in)+1; parts++ {
			var sum wideSum
			for k := range parts {
				var part wideSum
				for _, x := range tt.in[k*len(tt.in)/parts : (k+1)*len(tt.in)/parts] {
					part.add(x)
				}
				sum.merge(part)
			}
			got, mean := sum.total(len(tt.in))
			if got != tt.sum || math.Abs(mean-tt.mean) > 1e-15*math.Abs(tt.mean) || math.IsNaN(mean) != math.IsNaN(tt.mean) {
				t.Errorf("%v in %d parts: sum %v, mean %v; want %v, %v", tt.in, parts, got, mean, tt.sum, tt.mean)
			}
		}
	}
}
