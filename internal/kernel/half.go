package kernel

import "math"

// A half is a dtype.Half by its bits: 1 of sign, 5 of exponent, 10 of fraction.
// dtype has the conversions that one can read. Tests hold these to them; these hardly
// ever branch: with random numbers they take as little as a quarter of the time.
func init() {
	table[F16][Bool] = func(dst, src Pointer, n int) {
		d, s := asSlices[bool, uint16](dst, src, n)
		for i := range d {
			d[i] = s[i]<<1 != 0
		}
	}
	table[F16][F32] = func(dst, src Pointer, n int) {
		d, s := asSlices[uint32, uint16](dst, src, n)
		for i := range d {
			d[i] = singleOf(s[i])
		}
	}
	table[F16][F64] = func(dst, src Pointer, n int) {
		d, s := asSlices[float64, uint16](dst, src, n)
		for i := range d {
			d[i] = float64(math.Float32frombits(singleOf(s[i])))
		}
	}
	table[F32][F16] = func(dst, src Pointer, n int) {
		d, s := asSlices[uint16, uint32](dst, src, n)
		for i := range d {
			d[i] = halfOf32(s[i])
		}
	}
	table[F64][F16] = func(dst, src Pointer, n int) {
		d, s := asSlices[uint16, uint64](dst, src, n)
		for i := range d {
			d[i] = halfOf64(s[i])
		}
	}
}

// singleOf is h as the bits of a float32. A NaN keeps its payload, also if it is
// signalling: no processor gets to see it.
func singleOf(h uint16) uint32 {
	const (
		bias = (127 - 15) << 23
		low  = (127 - 14) << 23 // the least half that is not subnormal
	)
	sign := uint32(h>>15) << 31
	x := uint32(h&0x7FFF)<<13 + bias
	switch h & 0x7C00 {
	case 0: // as 1.f × 2⁻¹⁴, less the 1
		x = math.Float32bits(math.Float32frombits(x+1<<23) - math.Float32frombits(low))
	case 0x7C00: // infinity or NaN
		x += bias
	}
	return sign | x
}

// halfOf32 is the half nearest to the float32 of bits b, ties to even. A NaN becomes
// a quiet one, with what fits of its payload, as it would in a float64.
//
// The processor rounds: a power of two that is added pushes out the last 13 bits of
// x, or more where a half would be subnormal. The carry goes where it should, into
// the exponent, and to infinity, which is what 2¹⁶ would be.
func halfOf32(b uint32) uint16 {
	const (
		low = (127 - 14) << 23 // the least half that is not subnormal
		inf = (127 + 16) << 23 // the least infinite one
	)
	sign, x := uint16(b>>16)&0x8000, b&^(1<<31)
	if x > 0xFF<<23 {
		return sign | 0x7E00 | uint16(x>>13)&0x3FF
	}
	x = min(x, inf)
	exp := max(x&^(1<<23-1), low)
	push := exp + 13<<23
	x = math.Float32bits(math.Float32frombits(x)+math.Float32frombits(push)) - push
	return sign | uint16(x+(exp-low)>>13)
}

// halfOf64 is the half nearest to the float64 of bits b, as [halfOf32] finds it, but
// a NaN that is signalling stays so.
func halfOf64(b uint64) uint16 {
	const (
		low = (1023 - 14) << 52
		inf = (1023 + 16) << 52
	)
	sign, x := uint16(b>>48)&0x8000, b&^(1<<63)
	if x > 0x7FF<<52 {
		return sign | 0x7C00 | max(uint16(x>>42)&0x3FF, 1) // 1: not infinity
	}
	x = min(x, inf)
	exp := max(x&^(1<<52-1), low)
	push := exp + 42<<52
	x = math.Float64bits(math.Float64frombits(x)+math.Float64frombits(push)) - push
	return sign | uint16(x+(exp-low)>>42)
}
