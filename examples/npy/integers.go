package main

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/ndmap/ndmap/internal/kernel"
)

// Integers are summarized as unsigned ones of 64 bits that have the same order: zero
// is what stands for 0, and for signed ones that is 2^63. So all is exact.
const signedZero = 1 << 63

type wholeNumber interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}

// ordinals are a loader of integers, or of others in the order of the integers.
func ordinals[T wholeNumber](zero uint64) func(dst []uint64, src []T) []uint64 {
	return func(dst []uint64, src []T) []uint64 {
		for i, x := range src {
			dst[i] = uint64(x) ^ zero
		}
		return dst
	}
}

// integers is what a first sweep finds.
type integers struct {
	n      int // without those that are NaT
	nat    int
	zeros  int
	lo, hi uint64
	sum    [2]uint64 // low and high
}

var noIntegers = integers{lo: math.MaxUint64}

// add adds elements. If times is set, the least one, which is 0 here, is NaT.
func (r *integers) add(s []uint64, zero uint64, times bool) {
	for _, x := range s {
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
		r.addSum(x, 0)
	}
}

func (r *integers) addSum(low, high uint64) {
	var carry uint64
	r.sum[0], carry = bits.Add64(r.sum[0], low, 0)
	r.sum[1] += high + carry
}

func (r *integers) merge(p integers) {
	r.n += p.n
	r.nat += p.nat
	r.zeros += p.zeros
	r.lo, r.hi = min(r.lo, p.lo), max(r.hi, p.hi)
	r.addSum(p.sum[0], p.sum[1])
}

// above is the sum of the distances of all elements from x.
func (r *integers) above(x uint64) *big.Int {
	sum := new(big.Int).SetUint64(r.sum[1])
	sum.Lsh(sum, 64).Add(sum, new(big.Int).SetUint64(r.sum[0]))
	all := new(big.Int).SetUint64(x)
	return sum.Sub(sum, all.Mul(all, big.NewInt(int64(r.n))))
}

// over is x/n, rounded once.
func over(x *big.Int, n int) float64 {
	f, _ := new(big.Rat).SetFrac(x, big.NewInt(int64(n))).Float64()
	return f
}

// summarizeIntegers says what there is to say of integers and of times, in two
// sweeps.
func summarizeIntegers(w *work, s source[uint64], zero uint64, times bool) (*summary, error) {
	parts, err := sweep(w, s, noIntegers, func(p *integers, s []uint64) { p.add(s, zero, times) })
	if err != nil {
		return nil, err
	}
	r := noIntegers
	for _, p := range parts {
		r.merge(p)
	}
	all := &summary{nan: r.nat, zeros: r.zeros, sum: r.above(zero)}
	if r.n == 0 {
		return all, nil
	}
	mean := over(r.above(r.lo), r.n) // from lo on: large numbers may differ by little
	bins := newIntBins(r.lo, r.hi)
	spreads, err := sweep(w, s, spread{}, func(p *spread, s []uint64) {
		for s := range slices.Chunk(s, kernel.PairsLen) {
			var distances [kernel.PairsLen]float64
			for i, x := range s {
				if x == 0 && times {
					distances[i] = math.NaN() // which has no square
					continue
				}
				distance := x - r.lo
				distances[i] = float64(distance)
				p.counts[bins.bin(distance)]++
			}
			p.squares.add(kernel.SquarePairs(distances[:len(s)], 1, mean))
		}
	})
	if err != nil {
		return nil, err
	}
	out := mergeSpreads(spreads)
	all.min, all.max = from(r.lo, zero), from(r.hi, zero)
	all.mean = over(all.sum.(*big.Int), r.n)
	all.std = math.Sqrt(out.squares.total() / float64(r.n))
	for k := range bins.n() + 1 {
		all.edges = append(all.edges, bins.edge(k, zero))
	}
	all.counts = out.counts[:bins.n()]
	return all, nil
}

// from is x as it is counted from zero.
func from(x, zero uint64) *big.Int {
	b := new(big.Int).SetUint64(x)
	return b.Sub(b, new(big.Int).SetUint64(zero))
}

// A spread is what a second sweep finds: the squares of the distances from the
// mean, added up, and how many elements each bin has.
type spread struct {
	squares twofold
	counts  [mostBins]int
}

func mergeSpreads(parts []spread) (all spread) {
	for _, p := range parts {
		all.squares.merge(p.squares)
		for k, n := range p.counts {
			all.counts[k] += n
		}
	}
	return all
}
