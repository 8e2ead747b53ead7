package dtype

import "math"

// BF16 is the Go type of the elements of [BFloat16]: the upper half of the bits of a float32, 1 of
// sign, 8 of exponent and 7 of fraction.
type BF16 uint16

// F8E4M3FN is the Go type of the elements of [Float8E4M3FN]: the bits of a float without
// infinities, 1 of sign, 4 of exponent and 3 of fraction. The largest value is 448, and each sign
// has one NaN.
type F8E4M3FN uint8

// F8E5M2 is the Go type of the elements of [Float8E5M2]: the upper half of the bits of a [Half], 1
// of sign, 5 of exponent and 2 of fraction.
type F8E5M2 uint8

// Float32 returns f as a float32, exactly. A NaN keeps its sign and its payload.
func (f BF16) Float32() float32 { return math.Float32frombits(uint32(f) << 16) }

// Float64 returns f as a float64, exactly. A NaN keeps its sign and its payload.
func (f BF16) Float64() float64 {
	if f&0x7F80 == 0x7F80 { // a conversion through Float32 would make a signalling NaN quiet
		return math.Float64frombits(uint64(f>>15)<<63 | 0x7FF<<52 | uint64(f&0x7F)<<45)
	}
	return float64(f.Float32())
}

// Float32 returns f as a float32, exactly. A NaN keeps its sign, and is quiet.
func (f F8E4M3FN) Float32() float32 {
	sign, exp, frac := uint32(f>>7)<<31, uint32(f>>3)&0xF, uint32(f)&7
	switch {
	case f&0x7F == 0x7F:
		return math.Float32frombits(sign | 0x7FC00000)
	case exp == 0: // zero or subnormal: frac × 2⁻⁹
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*0x1p-9))
	}
	return math.Float32frombits(sign | (exp+127-7)<<23 | frac<<20)
}

// Float64 returns f as a float64, exactly. A NaN keeps its sign, and is quiet.
func (f F8E4M3FN) Float64() float64 { return toFloat64(f.Float32()) }

// Float32 returns f as a float32, exactly. A NaN keeps its sign and its payload.
func (f F8E5M2) Float32() float32 { return (Half(f) << 8).Float32() }

// Float64 returns f as a float64, exactly. A NaN keeps its sign and its payload.
func (f F8E5M2) Float64() float64 { return (Half(f) << 8).Float64() }

// BF16From32 returns the BF16 nearest to x, ties to even. The result is infinite if |x| is at least
// 0x1.ffp127. A NaN keeps its sign and the part of its payload that fits, and becomes quiet.
func BF16From32(x float32) BF16 {
	b := math.Float32bits(x)
	if b&0x7FFFFFFF > 0x7F800000 {
		return BF16(b>>16 | 0x40)
	}
	return BF16((b + 0x7FFF + b>>16&1) >> 16) // a carry into the exponent is correct, up to infinity
}

// BF16From64 returns the BF16 nearest to x, ties to even, rounded once. Infinities and NaNs are
// converted as by [BF16From32].
func BF16From64(x float64) BF16 {
	m, isNaN := bfloat16.nearest(x)
	if isNaN {
		m = 0x7FC0 | uint16(math.Float64bits(x)>>45)&0x3F
	}
	return BF16(sign64(x)<<15 | m)
}

// F8E4M3FNFrom32 returns the F8E4M3FN nearest to x, ties to even. The result is NaN, with the sign
// of x, if x is infinite or NaN, or if it rounds to more than 448, that is, if |x| > 464.
func F8E4M3FNFrom32(x float32) F8E4M3FN { return F8E4M3FNFrom64(toFloat64(x)) }

// F8E4M3FNFrom64 returns the F8E4M3FN nearest to x, ties to even, rounded once. Infinities and NaNs
// are converted as by [F8E4M3FNFrom32].
func F8E4M3FNFrom64(x float64) F8E4M3FN {
	m, isNaN := float8e4m3fn.nearest(x)
	if isNaN {
		m = 0x7F
	}
	return F8E4M3FN(sign64(x)<<7 | m)
}

// F8E5M2From32 returns the F8E5M2 nearest to x, ties to even. The result is infinite if |x| is at
// least 61440. A NaN keeps its sign and the part of its payload that fits, and becomes quiet.
func F8E5M2From32(x float32) F8E5M2 { return F8E5M2From64(toFloat64(x)) }

// F8E5M2From64 returns the F8E5M2 nearest to x, ties to even, rounded once. Infinities and NaNs are
// converted as by [F8E5M2From32].
func F8E5M2From64(x float64) F8E5M2 {
	m, isNaN := float8e5m2.nearest(x)
	if isNaN {
		m = 0x7E | uint16(math.Float64bits(x)>>50)&1
	}
	return F8E5M2(sign64(x)<<7 | m)
}

// toFloat64 returns x as a float64. It converts NaNs by their bits, since some processors keep neither
// their sign nor their payload.
func toFloat64(x float32) float64 {
	if x == x {
		return float64(x)
	}
	b := uint64(math.Float32bits(x))
	return math.Float64frombits(b>>31<<63 | 0x7FF<<52 | b<<29&(1<<52-1))
}

// sign64 returns the sign bit of x.
func sign64(x float64) uint16 { return uint16(math.Float64bits(x) >> 63) }

// A format describes a floating-point type: a sign bit, an exponent with a bias, and fraction bits
// of fraction.
type format struct {
	fraction, bias int
	overflow       uint16 // the bits, infinity or NaN, of a number that is too large
}

var (
	bfloat16     = format{7, 127, 0x7F80}
	float8e4m3fn = format{3, 7, 0x7F}
	float8e5m2   = format{2, 15, 0x7C}
)

// nearest returns the bits, without the sign, of the float nearest to |x|, ties to even. If x is
// NaN, it returns isNaN and no bits.
func (f *format) nearest(x float64) (m uint16, isNaN bool) {
	b := math.Float64bits(x) &^ (1 << 63)
	exp, frac := int(b>>52)-1023, b&(1<<52-1)
	least := 1 - f.bias // the exponent of the smallest normal float
	switch {
	case exp == 1024 && frac != 0:
		return 0, true
	case exp > int(f.overflow>>f.fraction)-f.bias: // far above the largest finite float
		return f.overflow, false
	case exp < least-f.fraction-1: // below half of the smallest subnormal
		return 0, false
	}
	// The result is the top bits of r; the rest decides the rounding.
	r, shift := frac|uint64(exp+f.bias)<<52, 52-f.fraction
	if exp < least {
		r, shift = frac|1<<52, shift+least-exp // subnormal: the leading 1 is part of the fraction
	}
	top, rest, half := r>>shift, r&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && top&1 == 1 {
		top++ // a carry into the exponent is correct
	}
	return min(uint16(top), f.overflow), false
}
