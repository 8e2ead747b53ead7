package kernel

import "math"

// The floats of machine learning models are BF16, F8E4M3FN and F8E5M2 of package dtype, given by their bits. As with
// halves, dtype has readable versions of these conversions, and tests compare the two.

func singlesOfBF16(dst, src Pointer, n int) {
	each(dst, src, n, func(x uint16) uint32 { return uint32(x) << 16 })
}

func doublesOfBF16(dst, src Pointer, n int) {
	each(dst, src, n, func(x uint16) float64 { return float64(math.Float32frombits(uint32(x) << 16)) })
}

func bf16sOfSingles(dst, src Pointer, n int) { each(dst, src, n, bf16OfSingle) }
func bf16sOfDoubles(dst, src Pointer, n int) { each(dst, src, n, bf16OfDouble) }
func bf16sOfUints(dst, src Pointer, n int)   { each(dst, src, n, bf16OfUint) }

func bf16sOfInts(dst, src Pointer, n int) {
	each(dst, src, n, func(x int64) uint16 {
		if x < 0 {
			return 1<<15 | bf16OfUint(-uint64(x))
		}
		return bf16OfUint(uint64(x))
	})
}

func singlesOfE4M3FN(dst, src Pointer, n int) { singlesFromTable(&singleOfE4M3FN, dst, src, n) }
func doublesOfE4M3FN(dst, src Pointer, n int) { doublesFromTable(&singleOfE4M3FN, dst, src, n) }
func singlesOfE5M2(dst, src Pointer, n int)   { singlesFromTable(&singleOfE5M2, dst, src, n) }
func doublesOfE5M2(dst, src Pointer, n int)   { doublesFromTable(&singleOfE5M2, dst, src, n) }

func singlesFromTable(numbers *[256]uint32, dst, src Pointer, n int) {
	each(dst, src, n, func(x uint8) uint32 { return numbers[x] })
}

func doublesFromTable(numbers *[256]uint32, dst, src Pointer, n int) {
	each(dst, src, n, func(x uint8) float64 { return float64(math.Float32frombits(numbers[x])) })
}

func e4m3fnsOfSingles(dst, src Pointer, n int) {
	each(dst, src, n, func(b uint32) uint8 {
		sign, x := uint8(b>>24)&0x80, b&^(1<<31)
		if x > 0xFF<<23 {
			return sign | 0x7F
		}
		return sign | uint8(rounded32(min(x, (127+8)<<23|7<<20), (127-6)<<23, 20)) // more than 464 becomes 480, NaN
	})
}

func e4m3fnsOfDoubles(dst, src Pointer, n int) {
	each(dst, src, n, func(b uint64) uint8 {
		sign, x := uint8(b>>56)&0x80, b&^(1<<63)
		if x > 0x7FF<<52 {
			return sign | 0x7F
		}
		return sign | uint8(rounded64(min(x, (1023+8)<<52|7<<49), (1023-6)<<52, 49))
	})
}

func e5m2sOfSingles(dst, src Pointer, n int) {
	each(dst, src, n, func(b uint32) uint8 {
		sign, x := uint8(b>>24)&0x80, b&^(1<<31)
		if x > 0xFF<<23 {
			return sign | 0x7E | uint8(x>>21)&1
		}
		return sign | uint8(rounded32(min(x, (127+16)<<23), (127-14)<<23, 21))
	})
}

func e5m2sOfDoubles(dst, src Pointer, n int) {
	each(dst, src, n, func(b uint64) uint8 {
		sign, x := uint8(b>>56)&0x80, b&^(1<<63)
		if x > 0x7FF<<52 {
			return sign | 0x7E | uint8(x>>50)&1
		}
		return sign | uint8(rounded64(min(x, (1023+16)<<52), (1023-14)<<52, 50))
	})
}

// singleOfE4M3FN and singleOfE5M2 hold the bits of a float32 for each of the 256 numbers of a type.
var singleOfE4M3FN, singleOfE5M2 = func() (a, b [256]uint32) {
	for i := range 256 {
		b[i] = singleOfHalf(uint16(i) << 8)
		// An E4M3FN has the exponent of a half with another bias: 7 instead of 15.
		a[i] = math.Float32bits(math.Float32frombits(singleOfHalf(uint16(i)&0x7F<<7)) * 256)
		if i&0x7F == 0x7F {
			a[i] = 0x7FC00000
		}
		a[i] |= uint32(i>>7) << 31
	}
	return a, b
}()

// bf16OfSingle returns the BF16 nearest to the float32 with bits b, ties to even.
func bf16OfSingle(b uint32) uint16 {
	if b&^(1<<31) > 0x7F800000 {
		return uint16(b>>16 | 0x40)
	}
	return uint16((b + 0x7FFF + b>>16&1) >> 16) // a carry goes into the exponent
}

// bf16OfDouble returns the BF16 nearest to the float64 with bits b, ties to even.
func bf16OfDouble(b uint64) uint16 {
	sign, x := uint16(b>>48)&0x8000, b&^(1<<63)
	if x > 0x7FF<<52 {
		return sign | 0x7FC0 | uint16(x>>45)&0x3F
	}
	return sign | uint16(rounded64(min(x, (1023+128)<<52), (1023-126)<<52, 45))
}

// bf16OfUint returns the BF16 nearest to x. If x has more bits than fit a float64, it merges the last 11 bits into one
// bit, so that x is rounded only once.
func bf16OfUint(x uint64) uint16 {
	if x>>53 == 0 {
		return bf16OfDouble(math.Float64bits(float64(x)))
	}
	lost := x & 0x7FF
	x >>= 11
	if lost != 0 {
		x |= 1
	}
	return bf16OfDouble(math.Float64bits(float64(x) * 2048))
}
