package array

import (
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
)

// Quantile returns the quantiles of the elements of v for qs, which are from 0 to 1: 0.5 is the median. They are exact,
// and interpolated as numpy.quantile does by default, with the same rounding. If an element is NaN, so is every
// quantile. Next to infinities it returns an element, or the mean of two by weight, where NumPy may return NaN. The
// error is for a q that is out of range, for a v without elements, and where others change elements meanwhile. It goes
// through v up to 4 times for a few qs, with 2 MiB for each goroutine. [Config.Quantile] can be called off.
func Quantile[T Real](v View[T], qs ...float64) ([]float64, error) { return v.view.quantile(qs, nil) }

// Quantile is the function [Quantile] for any real numbers, with cfg.Progress, in bytes that are read: total is that of
// as many passes as the dtype may need, and done becomes total where fewer do.
func (cfg Config) Quantile(a Array, qs ...float64) ([]float64, error) {
	c, p, err := cfg.reals(a, forQuantile)
	if err != nil {
		return nil, err
	}
	return c.quantile(qs, p)
}

func (c view) quantile(qs []float64, report *progress) ([]float64, error) {
	name := prefix(c.mustBeSet().mem.Path)
	for _, q := range qs {
		if !(q >= 0 && q <= 1) {
			return nil, fmt.Errorf("%sa quantile for %v; want 0 to 1", name, q)
		}
	}
	n := c.Size()
	if n == 0 {
		return nil, fmt.Errorf("%s%w: no elements, so no quantile", name, ErrShape)
	}
	var ranks []int // of the elements that are needed
	for _, q := range qs {
		i, j, _ := between(n, q)
		ranks = append(ranks, i, j)
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	if err := report.begin(c, max(1, 8*c.el.size/tallyBits)); err != nil {
		return nil, err
	}
	values, nan, ok, err := selectRanks(c, ranks, report)
	if err == nil && report != nil && report.done < report.total {
		err = report.add(int(report.total - report.done))
	}
	switch {
	case err != nil:
		return nil, err
	case !ok:
		return nil, fmt.Errorf("%sthe elements changed while their quantiles were taken", name)
	}
	results := make([]float64, len(qs))
	for k, q := range qs {
		if results[k] = math.NaN(); !nan {
			i, j, t := between(n, q)
			a, _ := slices.BinarySearch(ranks, i)
			b, _ := slices.BinarySearch(ranks, j)
			results[k] = interpolate(c.el.value, values[a], values[b], t)
		}
	}
	return results, nil
}

// between returns the ranks of the elements before and after quantile q of n, and how far from
// the first to the second it is.
func between(n int, q float64) (i, j int, t float64) {
	at := float64(float64(n-1) * q) // rounded: the machine must not fuse it with the difference
	if at >= float64(n-1) {
		return n - 1, n - 1, 0
	}
	return int(at), int(at) + 1, at - math.Floor(at)
}

// interpolate is NumPy's _lerp (numpy/lib/function_base.py) for two numbers of dtype d with these bits, but for
// differences that are infinite, and that those of floats of models are not rounded to their type.
func interpolate(d dtype.DType, a, b uint64, t float64) float64 {
	x, y := realOf(d, a), realOf(d, b)
	var diff float64 // floats are rounded to their type first, as there
	switch size := d.ItemSize(); {
	case !isFloat(d):
		shift := 64 - 8*size
		diff = float64((b<<shift - a<<shift) >> shift) // unsigned, since b-a may overflow the type
	case d == dtype.Float16:
		diff = dtype.HalfFrom64(y - x).Float64()
	case size == 4:
		diff = float64(float32(y) - float32(x))
	default:
		diff = y - x
	}
	switch {
	case t == 0 || diff == 0 || isFloat(d) && x == y: // infinities, too
		return x
	case math.IsInf(diff, 0):
		return float64(x*(1-t)) + float64(y*t)
	case t < 0.5:
		return x + float64(diff*t) // float64 keeps the machine from fusing the two
	}
	return y - float64(diff*(1-t))
}

// realOf returns the real number of dtype d that has these bits.
func realOf(d dtype.DType, bits uint64) float64 {
	size := d.ItemSize()
	switch d.Kind() {
	case dtype.KindInt:
		shift := 64 - 8*size
		return float64(int64(bits<<shift) >> shift)
	case dtype.KindFloat:
		switch size {
		case 2:
			return dtype.Half(bits).Float64()
		case 4:
			return float64(math.Float32frombits(uint32(bits)))
		}
		return math.Float64frombits(bits)
	case dtype.KindBFloat16:
		return dtype.BF16(bits).Float64()
	case dtype.KindFloat8E4M3FN:
		return dtype.F8E4M3FN(bits).Float64()
	case dtype.KindFloat8E5M2:
		return dtype.F8E5M2(bits).Float64()
	}
	return float64(bits)
}
