package array

import (
	"fmt"
	"math"
	"slices"
)

// Quantile returns the quantiles of the elements of v for qs, which are from 0 to 1: 0.5 is the
// median. They are exact; between two elements Quantile interpolates as numpy.quantile does by
// default, with the same rounding. If an element is NaN, so is every quantile. Next to infinities
// it returns an element, or the mean of two by weight, where NumPy may return NaN.
//
// The error is for a q that is out of range, and for a v without elements. It also says if
// elements turn out to have been changed by others meanwhile.
//
// Quantile goes through v several times: each pass counts the numbers that are still in
// question in finer intervals, until at most a quarter of a million are left, which the last one
// collects. For a few qs there are at most 4 passes for numbers of 64 bits, 2 for 32 bits and 1
// for less, and 1 for a small v. GOMAXPROCS goroutines share each, as in [Reduce], with up to 2 MiB of counters
// each (more only for more than 60,000 qs), however large v is; page faults are as there.
func Quantile[T Real](v View[T], qs ...float64) ([]float64, error) {
	name := prefix(v.view.mustBeSet().mem.Path)
	for _, q := range qs {
		if !(q >= 0 && q <= 1) {
			return nil, fmt.Errorf("%sa quantile for %v; want 0 to 1", name, q)
		}
	}
	n := v.Size()
	if n == 0 {
		return nil, fmt.Errorf("%sno elements, so no quantile", name)
	}
	var ranks []int // of the elements that are needed
	for _, q := range qs {
		i, j, _ := between(n, q)
		ranks = append(ranks, i, j)
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	values, nan, ok := selectRanks(&v, ranks)
	if !ok {
		return nil, fmt.Errorf("%sthe elements changed while their quantiles were taken", name)
	}
	results := make([]float64, len(qs))
	for k, q := range qs {
		if results[k] = math.NaN(); !nan {
			i, j, t := between(n, q)
			a, _ := slices.BinarySearch(ranks, i)
			b, _ := slices.BinarySearch(ranks, j)
			results[k] = interpolate(values[a], values[b], t)
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

// interpolate is NumPy's _lerp (numpy/lib/function_base.py), but for differences that are
// infinite.
func interpolate[T Real](a, b T, t float64) float64 {
	diff := float64(b - a) // floats are rounded to T first, as there
	if T(1)/2 == 0 {
		diff = float64(uint64(b) - uint64(a)) // of int8, too, where b-a overflows
	}
	switch {
	case t == 0 || a == b:
		return float64(a)
	case math.IsInf(diff, 0):
		return float64(float64(a)*(1-t)) + float64(float64(b)*t)
	case t < 0.5:
		return float64(a) + float64(diff*t) // float64 keeps the machine from fusing the two
	}
	return float64(b) - float64(diff*(1-t))
}
