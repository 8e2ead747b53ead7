package dtype

import (
	"encoding/binary"
	"math"
)

// LongDouble is a long double of x86, an element of the dtype <f16: an 80-bit number, little-endian, and
// six unused bytes. NumPy on other machines writes other formats with the same dtype.
type LongDouble [16]byte

// Float64 returns the float64 nearest to x, ties to even, as the processor converts it. A number without
// the highest bit of its significand is invalid, and becomes NaN, unless its exponent is 0.
func (x LongDouble) Float64() float64 {
	const infinity, quiet = 0x7FF << 52, 1 << 51
	significand, top := binary.LittleEndian.Uint64(x[:]), binary.LittleEndian.Uint16(x[8:])
	sign, exponent := uint64(top>>15)<<63, int(top&0x7FFF)
	e := exponent - 16383 + 1023 // the exponent of the float64
	dropped := 11 + max(0, 1-e)  // bits of the significand
	switch {
	case significand>>63 == 0 && exponent != 0:
		return math.Float64frombits(1<<63 | infinity | quiet)
	case dropped > 64: // including all numbers whose exponent is 0
		return math.Float64frombits(sign)
	case exponent == 0x7FFF && significand<<1 != 0:
		return math.Float64frombits(sign | infinity | quiet | significand<<1>>12)
	case e >= 0x7FF:
		return math.Float64frombits(sign | infinity)
	}
	b := uint64(max(0, e-1))<<52 + significand>>dropped
	rest, half := significand<<(64-dropped), uint64(1)<<63
	if rest > half || rest == half && b&1 == 1 {
		b++ // a carry into the exponent is correct, up to infinity
	}
	return math.Float64frombits(sign | b)
}
