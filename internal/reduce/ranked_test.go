package reduce

import (
	"slices"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestNetwork tests networks with zeros and ones: a network that sorts these sorts any numbers (Knuth, 5.3.4, theorem
// Z). A network for some ranks must put the right numbers at these ranks.
func TestNetwork(t *testing.T) {
	for n := range 13 {
		for lo := range max(1, n) {
			at := []int{lo, min(lo+1, n-1)}
			if n == 0 {
				at = nil
			}
			all, some := sortingNetwork(n), sortingNetwork(n, at...)
			if len(some) > len(all) {
				t.Errorf("%d numbers: %d exchanges for two of them, %d for all", n, len(some), len(all))
			}
			for mask := range 1 << n {
				for _, exchanges := range [][]exchange{all, some} {
					s, ones := make([]int, n), 0
					for i := range s {
						s[i] = mask >> i & 1
						ones += s[i]
					}
					for _, x := range exchanges {
						a, b := s[x.i], s[x.j]
						if x.less {
							s[x.i] = min(a, b)
						}
						if x.greater {
							s[x.j] = max(a, b)
						}
					}
					for _, k := range at {
						want := 0
						if k >= n-ones {
							want = 1
						}
						if s[k] != want {
							t.Fatalf("%d numbers %b, rank %d: %v", n, mask, k, s)
						}
					}
				}
			}
		}
	}
}

// TestTwoOf tests that twoOf returns the same numbers as sorting, including when many numbers are equal.
func TestTwoOf(t *testing.T) {
	r := oracle.Rand(t, 110)
	samples := make([]uint32, 2*maxSamples)
	for range oracle.Cases(t, 300) {
		s := make([]uint32, 1+r.IntN(1+r.IntN(3000)))
		values := 1 + r.IntN(1+r.IntN(10_000))
		for i := range s {
			s[i] = uint32(r.IntN(values))
		}
		k := r.IntN(len(s))
		sorted := slices.Sorted(slices.Values(s))
		x, y := twoOf(s, k, samples)
		if x != sorted[k] || y != sorted[min(k+1, len(s)-1)] {
			t.Fatalf("ranks %d and %d of %d numbers of %d values: %d and %d, want %d and %d", k, k+1, len(s), values, x, y,
				sorted[k], sorted[min(k+1, len(s)-1)])
		}
	}
}

// TestPairsOf tests that pairsOf returns the same numbers as sorting, for any number of ranks.
func TestPairsOf(t *testing.T) {
	r := oracle.Rand(t, 111)
	samples := make([]uint32, 2*maxSamples)
	for range oracle.Cases(t, 200) {
		s := make([]uint32, 1+r.IntN(1+r.IntN(2000)))
		values := 1 + r.IntN(1+r.IntN(10_000))
		for i := range s {
			s[i] = uint32(r.IntN(values))
		}
		var lows []int
		for range r.IntN(1 + r.IntN(40)) {
			lows = append(lows, r.IntN(len(s)))
		}
		slices.Sort(lows)
		lows = slices.Compact(lows)
		sorted, pairs := slices.Sorted(slices.Values(s)), make([][2]uint32, len(lows))
		pairsOf(s, 0, lows, pairs, samples)
		for i, k := range lows {
			if want := [2]uint32{sorted[k], sorted[min(k+1, len(s)-1)]}; pairs[i] != want {
				t.Fatalf("ranks %d of %v of %d numbers of %d values: %d, want %d", k, lows, len(s), values, pairs[i], want)
			}
		}
	}
}
