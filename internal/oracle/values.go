package oracle

import (
	"encoding/binary"
	"math"
	"strconv"
)

// The functions below return the elements of the files that golden.py writes. k is the index of the element in C order.
// It alone determines the value, for both byte orders and for C and F order.

// Int returns element k of an integer file: the least value of T if k%11 is 4, the greatest if k%11 is 7, and otherwise
// the low bits of k times 0x9E3779B97F4A7C15, a constant whose bytes are all different.
func Int[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64](k int) T {
	bits := 0
	for x := T(1); x != 0; x <<= 1 {
		bits++
	}
	signed := ^T(0) < 0
	switch top := T(1) << (bits - 1); k % 11 {
	case 4:
		if signed {
			return top
		}
		return 0
	case 7:
		if signed {
			return ^top
		}
		return ^T(0)
	}
	return T(uint64(k) * 0x9E3779B97F4A7C15)
}

// Float returns element k of a floating-point file. All values can be represented in float16, so that the files with
// elements of three sizes contain the same numbers. k%13 selects special values: 3 is -0, 5 is +Inf, 7 is -Inf, 9 is
// NaN, 10 is 2**-24 (the least positive float16) and 11 is 65504 (the greatest). Other values are multiples of 1/8 in
// [-128, 128).
//
// The NaN has the bits of NumPy's NaN: positive and quiet, with payload 0. [math.NaN] has other bits.
func Float(k int) float64 {
	switch k % 13 {
	case 3:
		return math.Copysign(0, -1)
	case 5:
		return math.Inf(1)
	case 7:
		return math.Inf(-1)
	case 9:
		return math.Float64frombits(0x7FF8000000000000)
	case 10:
		return 0x1p-24
	case 11:
		return 65504
	}
	return float64(k*37%2048-1024) / 8
}

// Complex returns element k of a complex file: Float(k) + Float(k+5)i.
func Complex(k int) complex128 { return complex(Float(k), Float(k+5)) }

// Bool returns element k of a bool file: true if k*k + k/3 is odd.
func Bool(k int) bool { return (k*k+k/3)%2 == 1 }

// Float16Bits returns the IEEE 754 half-precision bits of Float(k).
func Float16Bits(k int) uint16 {
	f := Float(k)
	bits := math.Float64bits(f)
	sign := uint16(bits >> 48 & 0x8000)
	switch a := math.Abs(f); {
	case a == 0:
		return sign
	case math.IsNaN(f):
		return 0x7E00
	case math.IsInf(f, 0):
		return sign | 0x7C00
	case a < 0x1p-14: // a subnormal number, which is a multiple of 2**-24
		return sign | uint16(a*0x1p24)
	}
	// The exponent and the upper 10 bits of the fraction. The lower 42 bits are zero, because float16 can represent the
	// values of Float.
	exp := bits>>52&0x7FF - 1023 + 15
	return sign | uint16(exp<<10) | uint16(bits>>42&0x3FF)
}

// Append appends the bytes of element k of a file with the given dtype ("<f8", "|b1", ">c16") to b.
func Append(b []byte, dtype string, k int) []byte {
	var o binary.AppendByteOrder = binary.LittleEndian
	if dtype[0] == '>' {
		o = binary.BigEndian
	}
	f32 := func(b []byte, f float64) []byte { return o.AppendUint32(b, math.Float32bits(float32(f))) }
	f64 := func(b []byte, f float64) []byte { return o.AppendUint64(b, math.Float64bits(f)) }
	switch dtype[1:] {
	case "b1":
		if Bool(k) {
			return append(b, 1)
		}
		return append(b, 0)
	case "i1":
		return append(b, byte(Int[int8](k)))
	case "u1":
		return append(b, Int[uint8](k))
	case "i2":
		return o.AppendUint16(b, uint16(Int[int16](k)))
	case "u2":
		return o.AppendUint16(b, Int[uint16](k))
	case "i4":
		return o.AppendUint32(b, uint32(Int[int32](k)))
	case "u4":
		return o.AppendUint32(b, Int[uint32](k))
	case "i8":
		return o.AppendUint64(b, uint64(Int[int64](k)))
	case "u8":
		return o.AppendUint64(b, Int[uint64](k))
	case "f2":
		return o.AppendUint16(b, Float16Bits(k))
	case "f4":
		return f32(b, Float(k))
	case "f8":
		return f64(b, Float(k))
	case "c8":
		return f32(f32(b, Float(k)), Float(k+5))
	case "c16":
		return f64(f64(b, Float(k)), Float(k+5))
	}
	panic("oracle: no rule for dtype " + strconv.Quote(dtype))
}
