package dtype

import "math"

// Float16 is an IEEE 754 half-precision float by its bits: 1 sign bit, 5 of
// exponent, 10 of fraction. NumPy calls it float16, f2.
type Float16 uint16

// Float32 is f as a float32, exactly. NaNs keep their payload and become quiet
// only where the processor makes them so.
func (f Float16) Float32() float32 {
	sign := uint32(f>>15) << 31
	exp := uint32(f>>10) & 0x1F
	frac := uint32(f) & 0x3FF
	switch exp {
	case 0: // zero or subnormal: frac × 2⁻²⁴, exact in float32
		x := math.Float32bits(float32(frac) * 0x1p-24)
		return math.Float32frombits(sign | x)
	case 0x1F: // infinity or NaN
		return math.Float32frombits(sign | 0xFF<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | frac<<13)
}

// Float64 is f as a float64, exactly.
func (f Float16) Float64() float64 { return float64(f.Float32()) }

// Float16From32 is the Float16 nearest to x, ties to even, as NumPy rounds:
// infinite from 65520 on. A NaN stays one, with what fits of its payload.
func Float16From32(x float32) Float16 {
	b := math.Float32bits(x)
	return float16(uint16(b>>16)&0x8000, int(b>>23&0xFF)-127, uint64(b&(1<<23-1))<<29)
}

// Float16From64 is the Float16 nearest to x, ties to even, rounded once.
func Float16From64(x float64) Float16 {
	b := math.Float64bits(x)
	exp := int(b >> 52 & 0x7FF)
	switch {
	case exp == 0x7FF:
		exp = 128 // as in a float32
	case exp == 0:
		exp = -127
	default:
		exp = max(exp-1023, -127)
	}
	return float16(uint16(b>>48)&0x8000, exp, b&(1<<52-1))
}

// float16 rounds sign × 1.frac × 2^exp, with 52 bits of fraction. An exponent of
// 128 is infinity or NaN, of -127 something too small to round to more than 0.
func float16(sign uint16, exp int, frac uint64) Float16 {
	switch {
	case exp == 128:
		if frac == 0 {
			return Float16(sign | 0x7C00)
		}
		payload := uint16(frac >> 42)
		if payload == 0 {
			payload = 1 // still a NaN
		}
		return Float16(sign | 0x7C00 | payload)
	case exp > 15:
		return Float16(sign | 0x7C00)
	case exp < -25: // below half of the least subnormal, 2⁻²⁴
		return Float16(sign)
	}
	// The result is the top bits of m, the rest decides the rounding.
	m, shift, bits := frac|1<<52, uint(42), uint64(0)
	if exp >= -14 {
		m, bits = frac, uint64(exp+15)<<10
	} else {
		shift += uint(-14 - exp)
	}
	r := bits + m>>shift
	rest, half := m&(1<<shift-1), uint64(1)<<(shift-1)
	if rest > half || rest == half && r&1 == 1 {
		r++ // may carry into the exponent, which is right, up to infinity
	}
	return Float16(sign | uint16(r))
}
