package main

import "math"

// reals is what a first sweep finds of floats.
type reals struct {
	n                   int // without those that are NaN
	nan, posInf, negInf int
	zeros               int
	lo, hi              float64 // of those that are finite
	sum                 twofold
}

var noReals = reals{lo: math.Inf(1), hi: math.Inf(-1)}

func (r *reals) add(s []float64) {
	sum := addUp(s)
	if !finite(sum) {
		r.addSpecial(s)
		return
	}
	lo, hi, zeros := r.lo, r.hi, 0
	for _, x := range s {
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
		if x == 0 {
			zeros++
		}
	}
	r.lo, r.hi = lo, hi
	r.zeros += zeros
	r.n += len(s)
	r.sum.add(sum)
}

// addSpecial adds floats that may be infinite or NaN.
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
			r.lo, r.hi = min(r.lo, x), max(r.hi, x)
		}
		if x == 0 {
			r.zeros++
		}
		r.n++
		r.sum.add(x)
	}
}

func (r *reals) merge(p reals) {
	r.n += p.n
	r.nan += p.nan
	r.posInf += p.posInf
	r.negInf += p.negInf
	r.zeros += p.zeros
	r.lo, r.hi = min(r.lo, p.lo), max(r.hi, p.hi)
	r.sum.merge(p.sum)
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

// summarizeReals says what there is to say of floats, in two sweeps.
func summarizeReals(w *work, s source[float64]) (*summary, error) {
	parts, err := sweep(w, s, noReals, (*reals).add)
	if err != nil {
		return nil, err
	}
	r := noReals
	for _, p := range parts {
		r.merge(p)
	}
	all := &summary{nan: r.nan, posInf: r.posInf, negInf: r.negInf, zeros: r.zeros, sum: r.sum.total()}
	if r.n == 0 {
		return all, nil
	}
	lo, hi := r.lo, r.hi // infinite already where there are no others
	if r.negInf > 0 {
		lo = math.Inf(-1)
	}
	if r.posInf > 0 {
		hi = math.Inf(1)
	}
	mean := r.sum.total() / float64(r.n)
	if finite(mean) {
		mean = min(max(mean, lo), hi) // rounding may take it out of there
	}
	// In this unit squares are neither too large nor too small.
	unit := 1.0
	if distance := r.hi/2 - r.lo/2; distance > 0 {
		_, exp := math.Frexp(distance)
		unit = math.Ldexp(1, min(max(-exp, -1000), 1000))
	}
	near := mean * unit
	bins := newRealBins(r.lo, r.hi)
	spreads, err := sweep(w, s, spread{}, func(p *spread, s []float64) {
		var squares [few]float64
		for i, x := range s {
			if d := x*unit - near; d == d {
				squares[i] = float64(d * d)
			}
		}
		p.squares.add(addUp(squares[:len(s)]))
		bins.count(&p.counts, s)
	})
	if err != nil {
		return nil, err
	}
	out := mergeSpreads(spreads)
	std := math.NaN() // with an infinite mean there is none
	if finite(mean) {
		std = math.Sqrt(out.squares.total()/float64(r.n)) / unit
	}
	all.min, all.max, all.mean, all.std = lo, hi, mean, std
	for _, x := range bins.edges {
		all.edges = append(all.edges, x)
	}
	all.counts = out.counts[:bins.n()]
	return all, nil
}
