package kernel

import "math"

// Half, the type of F16, has a sign bit, 5 bits of exponent and 10 bits of fraction. Package dtype has readable
// versions of these conversions, and tests compare the two. The versions here rarely branch: for random numbers some of
// them take a quarter of the time.

func singlesOfHalves(dst, src Pointer, n int) {
	each(dst, src, n, singleOfHalf)
}

func doublesOfHalves(dst, src Pointer, n int) {
	each(dst, src, n, func(h uint16) float64 { return float64(math.Float32frombits(singleOfHalf(h))) })
}

func halvesOfSingles(dst, src Pointer, n int) { each(dst, src, n, halfOfSingle) }
func halvesOfDoubles(dst, src Pointer, n int) { each(dst, src, n, halfOfDouble) }

// singleOfHalf converts a half to the bits of a float32. NaN keeps its payload, even a signaling NaN: the conversion
// uses integers only.
func singleOfHalf(h uint16) uint32 {
	const (
		bias = (127 - 15) << 23
		low  = (127 - 14) << 23 // the least normal half
	)
	sign := uint32(h>>15) << 31
	x := uint32(h&0x7FFF)<<13 + bias
	switch h & 0x7C00 {
	case 0: // subnormal: compute 1.f × 2⁻¹⁴ and subtract the 1
		x = math.Float32bits(math.Float32frombits(x+1<<23) - math.Float32frombits(low))
	case 0x7C00: // infinity or NaN
		x += bias
	}
	return sign | x
}

// halfOfSingle returns the half nearest to the float32 with bits b, ties to even. NaN becomes a quiet NaN with the
// upper bits of its payload, as when it is converted to a float64 first.
func halfOfSingle(b uint32) uint16 {
	sign, x := uint16(b>>16)&0x8000, b&^(1<<31)
	if x > 0xFF<<23 {
		return sign | 0x7E00 | uint16(x>>13)&0x3FF
	}
	return sign | uint16(rounded32(min(x, (127+16)<<23), (127-14)<<23, 13))
}

// halfOfDouble returns the half nearest to the float64 with bits b, ties to even. A signaling NaN stays one.
func halfOfDouble(b uint64) uint16 {
	sign, x := uint16(b>>48)&0x8000, b&^(1<<63)
	if x > 0x7FF<<52 {
		return sign | 0x7C00 | max(uint16(x>>42)&0x3FF, 1) // 1: not infinity
	}
	return sign | uint16(rounded64(min(x, (1023+16)<<52), (1023-14)<<52, 42))
}

// rounded32 rounds the float32 with bits x to a float with drop fewer bits of fraction, ties to even, and returns the
// bits of the result. low is the least normal result, as the bits of a float32. x has no sign bit, is not NaN, and does
// not exceed the greatest result.
//
// The processor does the rounding: adding a power of two shifts the last bits of x out, and more bits if the result is
// subnormal. A carry goes into the exponent, and makes the result infinite if the next power of two is infinity.
func rounded32(x, low uint32, drop uint) uint32 {
	exp := max(x&^(1<<23-1), low)
	push := exp + uint32(drop)<<23
	x = math.Float32bits(math.Float32frombits(x)+math.Float32frombits(push)) - push
	return x + (exp-low)>>drop
}

// rounded64 is like rounded32 for a float64.
func rounded64(x, low uint64, drop uint) uint64 {
	exp := max(x&^(1<<52-1), low)
	push := exp + uint64(drop)<<52
	x = math.Float64bits(math.Float64frombits(x)+math.Float64frombits(push)) - push
	return x + (exp-low)>>drop
}
