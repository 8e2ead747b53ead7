package reduce

import (
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
)

// Keys converts the bits of numbers of a dtype to keys, and back. Keys are unsigned integers that are ordered like the
// numbers.
type Keys struct {
	Bits     int
	Sign     uint64 // the sign bit, which is inverted in keys; 0 if numbers have no sign bit
	Negative uint64 // the bits, apart from Sign, that are inverted in keys of negative numbers
	Least    uint64 // the key of the least number
	Greatest uint64 // the key of the greatest number; keys outside Least to Greatest are NaN

	real            func(bits uint64) float64
	isFloat, isHalf bool
}

// A Word holds the bits of a number.
type Word interface {
	uint8 | uint16 | uint32 | uint64
}

// A floatType describes a dtype of floats.
type floatType struct {
	greatest uint64 // bits of the greatest number: infinity, if the type has infinities
	real     func(bits uint64) float64
}

var floatTypes = map[dtype.DType]floatType{
	dtype.Float8E4M3FN: {0x7e, func(bits uint64) float64 { return dtype.F8E4M3FN(bits).Float64() }},
	dtype.Float8E5M2:   {0x7c, func(bits uint64) float64 { return dtype.F8E5M2(bits).Float64() }},
	dtype.BFloat16:     {0x7f80, func(bits uint64) float64 { return dtype.BF16(bits).Float64() }},
	dtype.Float16:      {0x7c00, func(bits uint64) float64 { return dtype.Half(bits).Float64() }},
	dtype.Float32:      {0x7f800000, func(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }},
	dtype.Float64:      {0x7ff << 52, math.Float64frombits},
}

// KeysOf returns the keys of real numbers of dtype d in native byte order.
func KeysOf(d dtype.DType) (k Keys) {
	d = d.WithByteOrder(dtype.Native)
	k.Bits, k.isFloat, k.isHalf = 8*d.ItemSize(), elem.IsFloat(d), d == dtype.Float16
	top, shift := uint64(1)<<(k.Bits-1), 64-k.Bits
	k.Greatest = top | (top - 1)
	switch {
	case k.isFloat:
		float := floatTypes[d]
		k.Sign, k.Negative, k.real = top, top-1, float.real
		k.Least, k.Greatest = top-1-float.greatest, top|float.greatest
	case d.Kind() == dtype.KindInt:
		k.Sign, k.real = top, func(bits uint64) float64 { return float64(int64(bits<<shift) >> shift) }
	default:
		k.real = func(bits uint64) float64 { return float64(bits) }
	}
	return k
}

// number returns the bits of the number with the given key.
func (k *Keys) number(key uint64) uint64 {
	n := key ^ k.Sign
	if n&k.Sign != 0 { // a negative number
		n ^= k.Negative
	}
	return n
}

// A Place locates a result of a Median or a Quantile: it lies at fraction T of the distance from the number with rank
// Lo to the number with rank Hi.
type Place struct {
	Lo, Hi int
	T      float64
}

// Places appends the places of all results for n numbers to places, in the order of j.Qs.
func (j *Job) Places(places []Place, n int) []Place {
	if j.Op == Median {
		return append(places, Place{(n - 1) / 2, n / 2, 0.5})
	}
	for _, q := range j.Qs {
		lo, hi, t := Between(n, q)
		places = append(places, Place{lo, hi, t})
	}
	return places
}

// RanksOf adds the ranks of places to ranks, and returns all ranks in ascending order without duplicates.
func RanksOf(ranks []int, places []Place) []int {
	for _, p := range places {
		ranks = append(ranks, p.Lo, p.Hi)
	}
	slices.Sort(ranks)
	return slices.Compact(ranks)
}

// Results returns the results at places. ranks is the result of RanksOf, and keys[i] is the key of the number, of dtype
// d, with rank ranks[i]. If keys is nil, all results are NaN.
func (j *Job) Results(d dtype.DType, places []Place, ranks []int, keys []uint64) []float64 {
	results, conv := make([]float64, len(places)), KeysOf(d)
	for k, p := range places {
		if results[k] = math.NaN(); keys != nil {
			lo, _ := slices.BinarySearch(ranks, p.Lo)
			hi, _ := slices.BinarySearch(ranks, p.Hi)
			results[k] = conv.Of(j.Op, keys[lo], keys[hi], p.T)
		}
	}
	return results
}

// Between locates quantile q of n numbers: it lies at fraction t of the distance from the number with rank lo to the
// number with rank hi.
func Between(n int, q float64) (lo, hi int, t float64) {
	at := float64(float64(n-1) * q) // the conversion rounds, so that the compiler does not fuse this with the difference
	if at >= float64(n-1) {
		return n - 1, n - 1, 0
	}
	return int(at), int(at) + 1, at - math.Floor(at)
}

// Of returns the result of a Median or a Quantile that lies between the numbers with keys lo and hi, at fraction t of
// their distance.
func (k *Keys) Of(op Op, lo, hi uint64, t float64) float64 {
	if op == Quantile {
		return k.interpolate(lo, hi, t)
	}
	x, y := k.real(k.number(lo)), k.real(k.number(hi))
	if m := (x + y) / 2; m-m == 0 {
		return m
	}
	return x/2 + y/2 // the sum overflows, or a number is infinite
}

// interpolate returns the number at fraction t of the distance from the number with key lo to the number with key hi.
// It rounds like NumPy's _lerp (numpy/lib/function_base.py), except for infinite differences, and for bfloat16 and
// float8, whose differences are not rounded to their type.
func (k *Keys) interpolate(lo, hi uint64, t float64) float64 {
	x, y := k.real(k.number(lo)), k.real(k.number(hi))
	var diff float64 // the difference of two floats is rounded to their type, as in NumPy
	switch {
	case !k.isFloat:
		diff = float64(hi - lo) // y-x could overflow the type
	case k.isHalf:
		diff = dtype.HalfFrom64(y - x).Float64()
	case k.Bits == 32:
		diff = float64(float32(y) - float32(x))
	default:
		diff = y - x
	}
	switch {
	case t == 0 || diff == 0 || k.isFloat && x == y: // x == y handles equal infinities, whose difference is NaN
		return x
	case math.IsInf(diff, 0):
		return float64(x*(1-t)) + float64(y*t)
	case t < 0.5:
		return x + float64(diff*t) // the conversion keeps the compiler from fusing the two
	}
	return y - float64(diff*(1-t))
}
