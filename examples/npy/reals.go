package main

import (
	"math"
	"slices"
	"sync"

	"github.com/ndmap/ndmap/array"
)

// reals holds the results of the first sweep over floats.
type reals struct {
	n, zeros            int // number of elements except NaN; number of zeros
	nan, posInf, negInf int
	lo, hi              float64 // minimum and maximum of the finite elements
	sum                 wideSum // sum of the finite elements
}

func (r *reals) add(s []float64) {
	v, _ := array.FromSlice(s)
	lo, hi := array.MinMax(v)
	r.zeros += len(s) - array.CountNonzero(v)
	special := false
	for s := range slices.Chunk(s, pairsLen) {
		sum := pairwiseSum(s)
		if !finite(sum) { // not finite, or only an intermediate sum overflows
			special = true
			r.addSpecial(s)
			continue
		}
		r.n += len(s)
		r.sum.add(sum)
	}
	if special {
		r.addFinite(s)
	} else {
		r.lo, r.hi = min(r.lo, lo), max(r.hi, hi)
	}
}

// addFinite updates the minimum and maximum with the finite elements of s.
func (r *reals) addFinite(s []float64) {
	for _, x := range s {
		if finite(x) {
			r.lo, r.hi = min(r.lo, x), max(r.hi, x)
		}
	}
}

// addSpecial adds floats that may include infinities and NaN.
func (r *reals) addSpecial(s []float64) {
	for _, x := range s {
		switch {
		case math.IsNaN(x):
			r.nan++
			continue
		case math.IsInf(x, 1):
			r.posInf++
		case math.IsInf(x, -1):
			r.negInf++
		default:
			r.sum.add(x)
		}
		r.n++
	}
}

// total returns the sum and the mean of all elements except NaN. Infinite elements make them infinite or NaN.
func (r *reals) total() (sum, mean float64) {
	if r.posInf == 0 && r.negInf == 0 {
		return r.sum.total(r.n)
	}
	sum = 0
	if r.posInf > 0 {
		sum += math.Inf(1)
	}
	if r.negInf > 0 {
		sum += math.Inf(-1)
	}
	return sum, sum
}

func (r reals) merge(p reals) reals {
	r.n += p.n
	r.zeros += p.zeros
	r.nan += p.nan
	r.posInf += p.posInf
	r.negInf += p.negInf
	r.lo, r.hi = min(r.lo, p.lo), max(r.hi, p.hi)
	r.sum.merge(p.sum)
	return r
}

// summarizeReals summarizes floats in two sweeps. load converts up to batchLen elements to floats. It may use buf for
// the result.
func summarizeReals[T any](w *sweepProgress, a array.Array, limits binLimits, load func(buf []float64,
	s []T) []float64) (
	*summary, error) {
	buffers := sync.Pool{New: func() any { return new([batchLen]float64) }}
	each := func(block []T, f func([]float64)) {
		buf := buffers.Get().(*[batchLen]float64)
		for s := range slices.Chunk(block, batchLen) {
			f(load(buf[:len(s)], s))
		}
		buffers.Put(buf)
	}
	r, err := sweep(w, a, func(block []T) reals {
		r := reals{lo: math.Inf(1), hi: math.Inf(-1)}
		each(block, r.add)
		return r
	}, reals.merge)
	if err != nil {
		return nil, err
	}
	sum, mean := r.total()
	all := &summary{nan: r.nan, posInf: r.posInf, negInf: r.negInf, sum: sum}
	if r.n == 0 {
		return all, nil
	}
	lo, hi := r.lo, r.hi // infinite already if no element is finite
	if r.negInf > 0 {
		lo = math.Inf(-1)
	}
	if r.posInf > 0 {
		hi = math.Inf(1)
	}
	if finite(mean) {
		mean = min(max(mean, lo), hi) // rounding may have moved it out of range
	}
	// With this unit, squares neither overflow nor underflow.
	unit := 1.0
	if distance := r.hi/2 - r.lo/2; distance > 0 {
		_, exp := math.Frexp(distance)
		unit = math.Ldexp(1, min(max(-exp, -1000), 1000))
	}
	near := mean * unit
	bins := newRealBins(r.lo, r.hi, limits.most)
	counts := counters[binCounts]{make: bins.newCounts}
	squares, err := sweep(w, a, func(block []T) (squares compensatedSum) {
		c := counts.take()
		defer counts.give(c)
		each(block, func(s []float64) {
			for s := range slices.Chunk(s, pairsLen) {
				squares.add(pairwiseSquares(s, unit, near))
			}
			bins.count(c, s)
		})
		return squares
	}, compensatedSum.plus)
	if err != nil {
		return nil, err
	}
	std := math.NaN() // undefined if the mean is infinite
	if finite(mean) {
		std = math.Sqrt(squares.total()/float64(r.n)) / unit
	}
	all.min, all.max, all.mean, all.std = lo, hi, mean, std
	all.edges = anySlice(bins.edges)
	all.zeros, all.counts = r.zeros, make([]int, bins.n())
	for _, c := range counts.free {
		c.addTo(all.counts)
	}
	return all, nil
}
