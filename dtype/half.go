package dtype

import "math"

// Half is the Go type of the elements of [Float16]: the bits of an IEEE 754 half-precision float, 1
// of sign, 5 of exponent and 10 of fraction.
type Half uint16

// Float32 returns f as a float32, exactly. A NaN keeps its sign and its payload.
func (f Half) Float32() float32 {
	sign := uint32(f>>15) << 31
	exp := uint32(f>>10) & 0x1F
	frac := uint32(f) & 0x3FF
	switch exp {
	case 0: // zero or subnormal: frac × 2⁻²⁴, exact in float32
		return math.Float32frombits(sign | math.Float32bits(float32(frac)*0x1p-24))
	case 0x1F: // infinity or NaN
		return math.Float32frombits(sign | 0xFF<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// Float64 returns f as a float64, exactly. A NaN keeps its sign and its payload.
func (f Half) Float64() float64 {
	// A conversion through Float32 would make a signalling NaN quiet.
	sign := uint64(f>>15) << 63
	exp := uint64(f>>10) & 0x1F
	frac := uint64(f) & 0x3FF
	switch exp {
	case 0:
		return math.Float64frombits(sign | math.Float64bits(float64(frac)*0x1p-24))
	case 0x1F:
		return math.Float64frombits(sign | 0x7FF<<52 | frac<<42)
	}
	return math.Float64frombits(sign | (exp+1023-15)<<52 | frac<<42)
}

// HalfFrom32 returns the Half nearest to x, ties to even, as NumPy rounds. The result is infinite
// if |x| is at least 65520. A NaN stays a NaN, with its sign and the part of its payload that fits.
func HalfFrom32(x float32) Half {
	b := math.Float32bits(x)
	exp := int(b >> 23 & 0xFF)
	return newHalf(uint16(b>>16)&0x8000, exp-127, exp == 0xFF, uint64(b&(1<<23-1))<<29)
}

// HalfFrom64 returns the Half nearest to x, ties to even, rounded once. Infinities and NaNs are
// converted as by [HalfFrom32].
func HalfFrom64(x float64) Half {
	b := math.Float64bits(x)
	exp := int(b >> 52 & 0x7FF)
	return newHalf(uint16(b>>48)&0x8000, exp-1023, exp == 0x7FF, b&(1<<52-1))
}

// newHalf returns the Half nearest to sign × 1.frac × 2^exp, where frac has 52 bits. If special is
// set, the number is an infinity or a NaN. A subnormal float32 or float64 arrives as 1.frac × 2⁻¹²⁷
// or 2⁻¹⁰²³; the value is wrong, but rounds to zero like the right one.
func newHalf(sign uint16, exp int, special bool, frac uint64) Half {
	switch {
	case special && frac != 0:
		return Half(sign | 0x7C00 | max(uint16(frac>>42), 1)) // 1: still a NaN
	case exp > 15:
		return Half(sign | 0x7C00)
	case exp < -25: // below half of the smallest subnormal, 2⁻²⁴
		return Half(sign)
	}
	// The result is the top bits of m, the rest decides the rounding.
	m, shift := frac|1<<52, uint(42)
	if exp >= -14 {
		m = frac | uint64(exp+15)<<52
	} else {
		shift += uint(-14 - exp) // subnormal: the leading 1 is part of the fraction
	}
	r := m >> shift
	rest, half := m&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && r&1 == 1 {
		r++ // a carry into the exponent is correct, up to infinity
	}
	return Half(sign | uint16(r))
}
