package main

import (
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/ndmap/ndmap/array"
)

// Integers are summarized as unsigned ones of 64 bits that have the same order: zero
// is what stands for 0, and for signed ones that is 2^63. So all is exact.
const signedZero = 1 << 63

type wholeNumber interface {
	~int32 | ~int64 | ~uint32 | ~uint64
}

// A wideInt is an unsigned integer of 128 bits.
type wideInt struct{ low, high uint64 }

func (x wideInt) plus(y wideInt) wideInt {
	low, carry := bits.Add64(x.low, y.low, 0)
	return wideInt{low, x.high + y.high + carry}
}

func (x wideInt) big() *big.Int {
	b := new(big.Int).SetUint64(x.high)
	return b.Lsh(b, 64).Add(b, new(big.Int).SetUint64(x.low))
}

// integers is what a first sweep finds.
type integers struct {
	n      int // without those that are NaT
	nat    int
	zeros  int
	lo, hi uint64
	sum    wideInt
}

// integersOf returns those of s. If times is set, the least one, which is 0 here, is NaT.
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

// above is the sum of the distances of all elements from x.
func (r *integers) above(x uint64) *big.Int {
	all := new(big.Int).SetUint64(x)
	return new(big.Int).Sub(r.sum.big(), all.Mul(all, big.NewInt(int64(r.n))))
}

// over is x/n, rounded once.
func over(x *big.Int, n int) float64 {
	f, _ := new(big.Rat).SetFrac(x, big.NewInt(int64(n))).Float64()
	return f
}

// summarizeIntegers says what there is to say of integers and of times, in two
// sweeps.
func summarizeIntegers[T wholeNumber](w *work, a array.Array, zero uint64) (*summary, error) {
	times := isTime(a.DType())
	r, err := sweep(w, a, func(s []T) integers { return integersOf(s, zero, times) }, integers.merge)
	if err != nil {
		return nil, err
	}
	all := &summary{nan: r.nat, zeros: r.zeros, sum: r.above(zero)}
	if r.n == 0 {
		return all, nil
	}
	mean := over(r.above(r.lo), r.n) // from lo on: large numbers may differ by little
	bins := newIntBins(r.lo, r.hi)
	out, err := sweep(w, a, func(s []T) (p spread) {
		for s := range slices.Chunk(s, pairsLen) {
			var distances [pairsLen]float64
			for i, x := range s {
				x := uint64(x) ^ zero
				if x == 0 && times {
					distances[i] = math.NaN() // which has no square
					continue
				}
				distance := x - r.lo
				distances[i] = float64(distance)
				p.counts[bins.bin(distance)]++
			}
			p.squares.add(squarePairs(distances[:len(s)], 1, mean))
		}
		return p
	}, spread.merge)
	if err != nil {
		return nil, err
	}
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

func (p spread) merge(q spread) spread {
	p.squares.merge(q.squares)
	for k, n := range q.counts {
		p.counts[k] += n
	}
	return p
}
