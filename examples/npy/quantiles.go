package main

import (
	"errors"
	"math/big"
	"math/bits"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
)

// addQuantiles adds the quantiles of a, except NaN and NaT, to its summary s.
func (e *env) addQuantiles(s *summary, a array.Array, qs []float64) error {
	if qs == nil {
		return nil
	}
	s.quantiles = make([]any, len(qs))
	switch {
	case a.Size() == s.nan || a.DType().Kind() == dtype.KindComplex:
		return nil
	case isTime(a.DType()):
		return e.addTimeQuantiles(s, a, qs)
	}
	result, err := array.Reduction{Op: array.OpQuantile, SkipNaN: true, Qs: qs, Progress: func(done, total int64) error {
		e.bar.Show(done, total)
		return nil
	}}.Of(a)
	if err != nil {
		return err
	}
	v, err := array.Cast[float64](result)
	if err != nil {
		return err
	}
	for k, x := range v.Collect() {
		s.quantiles[k] = x
		if floatSize(a.DType()) == 4 && float64(float32(x)) == x {
			s.quantiles[k] = float32(x)
		}
	}
	return nil
}

// addTimeQuantiles implements addQuantiles for times. A quantile between two times is rounded to a time as by NumPy,
// which adds to the nearer of the two, or subtracts from it, a number of ticks without its fraction.
func (e *env) addTimeQuantiles(s *summary, a array.Array, qs []float64) error {
	n := a.Size() - s.nan
	var ranks []int
	var parts []float64
	for _, q := range qs {
		at := float64(q * float64(n-1)) // the conversion rounds, so that the compiler does not fuse this with the difference
		rank := int(at)
		ranks = append(ranks, rank, min(rank+1, n-1))
		parts = append(parts, at-float64(rank))
	}
	lo, hi := s.min.(*big.Int).Int64(), s.max.(*big.Int).Int64()
	times, err := selectTimes(&sweepProgress{bar: &e.bar}, a, lo, hi, ranks)
	if err != nil {
		return err
	}
	for k := range qs {
		t, next, part := times[2*k], times[2*k+1], parts[k]
		ticks := float64(uint64(next - t))
		if part < 0.5 {
			t += int64(uint64(ticks * part))
		} else {
			t = next - int64(uint64(ticks*(1-part)))
		}
		s.quantiles[k] = big.NewInt(t)
	}
	return nil
}

// selectTimes returns the times with the given ranks among the times of a in ascending order, except NaT. All times are
// from lo to hi. A sweep finds the next digit of the distance of each of these times from lo, beginning with the most
// significant one.
func selectTimes(w *sweepProgress, a array.Array, lo, hi int64, ranks []int) ([]int64, error) {
	const digit = 11 // bits; the counters of a digit fit the level 1 cache
	type digits [1 << digit]int
	sweeps := (bits.Len64(uint64(hi-lo)) + digit - 1) / digit
	w.total = int64(sweeps) * int64(a.NBytes())
	prefixes := make([]uint64, len(ranks)) // the known digits of each result
	ranks = slices.Clone(ranks)            // ranks among the times with these digits
	for shift := digit * (sweeps - 1); shift >= 0; shift -= digit {
		known := slices.Compact(slices.Sorted(slices.Values(prefixes)))
		all, err := sweepCounting(w, a, func() *[]digits { c := make([]digits, len(known)); return &c },
			func(c *[]digits, block []int64) {
				for _, t := range block {
					distance := uint64(t - lo)
					if k, ok := slices.BinarySearch(known, distance>>shift>>digit); ok && t != dtype.NaT {
						(*c)[k][distance>>shift%(1<<digit)]++
					}
				}
			})
		if err != nil {
			return nil, err
		}
		for i, prefix := range prefixes {
			k, _ := slices.BinarySearch(known, prefix)
			next := 0
			for ; next < 1<<digit; next++ {
				n := 0
				for _, c := range all {
					n += (*c)[k][next]
				}
				if ranks[i] < n {
					break
				}
				ranks[i] -= n
			}
			if next == 1<<digit {
				return nil, errors.New("modified while it was being read")
			}
			prefixes[i] = prefix<<digit | uint64(next)
		}
	}
	times := make([]int64, len(ranks))
	for i, distance := range prefixes {
		times[i] = lo + int64(distance)
	}
	return times, nil
}
