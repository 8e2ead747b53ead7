package reduce

import (
	"math"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
)

// Keys say how the bits of numbers of a type become keys, unsigned integers that have the order of the numbers, and
// back.
type Keys struct {
	Bits     int
	Sign     uint64 // which is inverted; 0 if there is none
	Negative uint64 // what more is inverted of negative numbers
	Least    uint64 // the keys of the least number and
	Greatest uint64 // the greatest; those beyond are of NaN

	real            func(bits uint64) float64
	isFloat, isHalf bool
}

// A Word has the bits of a number.
type Word interface {
	uint8 | uint16 | uint32 | uint64
}

// infinities are the bits of the greatest float of each dtype that is not NaN.
var infinities = map[dtype.DType]uint64{dtype.Float16: 0x7c00, dtype.Float32: 0x7f800000, dtype.Float64: 0x7ff << 52,
	dtype.BFloat16: 0x7f80, dtype.Float8E4M3FN: 0x7e, dtype.Float8E5M2: 0x7c}

// KeysOf returns the keys of real numbers of dtype d, as they are in Go.
func KeysOf(d dtype.DType) (k Keys) {
	d = d.WithOrder(dtype.Native)
	k.Bits, k.real, k.isFloat, k.isHalf = 8*d.ItemSize(), realOf(d), elem.IsFloat(d), d == dtype.Float16
	top := uint64(1) << (k.Bits - 1)
	k.Greatest = top | (top - 1)
	switch {
	case k.isFloat:
		k.Sign, k.Negative = top, top-1
		infinity := infinities[d]
		k.Least, k.Greatest = top-1-infinity, top|infinity
	case d.Kind() == dtype.KindInt:
		k.Sign = top
	}
	return k
}

// number returns the bits of the number that has a key.
func (k *Keys) number(key uint64) uint64 {
	n := key ^ k.Sign
	if n&k.Sign != 0 { // a negative number
		n ^= k.Negative
	}
	return n
}

// Ranks returns the ranks of the two of n numbers that the result of a Median or a Quantile is between, and how far
// from the first to the second it is.
func (j *Job) Ranks(n int) (lo, hi int, t float64) {
	if j.Op == Median {
		return (n - 1) / 2, n / 2, 0.5
	}
	return Between(n, j.Q)
}

// Between returns the ranks of the elements before and after quantile q of n, and how far from
// the first to the second it is.
func Between(n int, q float64) (i, j int, t float64) {
	at := float64(float64(n-1) * q) // rounded: the machine must not fuse it with the difference
	if at >= float64(n-1) {
		return n - 1, n - 1, 0
	}
	return int(at), int(at) + 1, at - math.Floor(at)
}

// Of returns the result of a Median or a Quantile for the two numbers with these keys, so far from the first to the
// second.
func (k *Keys) Of(op Op, lo, hi uint64, t float64) float64 {
	if op == Quantile {
		return k.Interpolate(lo, hi, t)
	}
	x, y := k.real(k.number(lo)), k.real(k.number(hi))
	if m := (x + y) / 2; m-m == 0 {
		return m
	}
	return x/2 + y/2 // the sum is too large, or they are infinite
}

// Interpolate is NumPy's _lerp (numpy/lib/function_base.py) for the numbers with these keys, but for differences that
// are infinite, and that those of floats of models are not rounded to their type.
func (k *Keys) Interpolate(lo, hi uint64, t float64) float64 {
	x, y := k.real(k.number(lo)), k.real(k.number(hi))
	var diff float64 // floats are rounded to their type first, as there
	switch {
	case !k.isFloat:
		diff = float64(hi - lo) // as y-x may overflow the type
	case k.isHalf:
		diff = dtype.HalfFrom64(y - x).Float64()
	case k.Bits == 32:
		diff = float64(float32(y) - float32(x))
	default:
		diff = y - x
	}
	switch {
	case t == 0 || diff == 0 || k.isFloat && x == y: // infinities, too
		return x
	case math.IsInf(diff, 0):
		return float64(x*(1-t)) + float64(y*t)
	case t < 0.5:
		return x + float64(diff*t) // float64 keeps the machine from fusing the two
	}
	return y - float64(diff*(1-t))
}

// realOf returns what has the real number of dtype d that some bits are.
func realOf(d dtype.DType) func(bits uint64) float64 {
	size := d.ItemSize()
	switch d.Kind() {
	case dtype.KindInt:
		shift := 64 - 8*size
		return func(bits uint64) float64 { return float64(int64(bits<<shift) >> shift) }
	case dtype.KindFloat:
		switch size {
		case 2:
			return func(bits uint64) float64 { return dtype.Half(bits).Float64() }
		case 4:
			return func(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }
		}
		return math.Float64frombits
	case dtype.KindBFloat16:
		return func(bits uint64) float64 { return dtype.BF16(bits).Float64() }
	case dtype.KindFloat8E4M3FN:
		return func(bits uint64) float64 { return dtype.F8E4M3FN(bits).Float64() }
	case dtype.KindFloat8E5M2:
		return func(bits uint64) float64 { return dtype.F8E5M2(bits).Float64() }
	}
	return func(bits uint64) float64 { return float64(bits) }
}
