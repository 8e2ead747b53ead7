package kernel

import (
	"encoding/binary"
	"unsafe"
)

// A loop converts n consecutive numbers.
type loop func(dst, src Pointer, n int)

// table[from][to] is the loop in plain Go for a conversion. It is nil if Convert does not implement the conversion, or
// if [equivalentTypes] replaces the types. Nothing else refers to the table, not even an init function, so that the
// linker leaves it out of programs without conversions.
var table = [nums][nums]loop{
	Bool: {Bool: cleanBytes},
	I8: {
		I16: cast[int16, int8], I32: cast[int32, int8], I64: cast[int64, int8], F32: cast[float32, int8],
		F64: cast[float64, int8],
	},
	I16: {
		Bool: test[int16, int16], I32: cast[int32, int16], I64: cast[int64, int16], F32: cast[float32, int16],
		F64: cast[float64, int16],
	},
	I32: {Bool: test[int32, int32], I64: cast[int64, int32], F32: cast[float32, int32], F64: cast[float64, int32]},
	I64: {Bool: test[int64, int64], F32: single[int64], F64: cast[float64, int64], BF16: bf16sOfInts},
	U8: {
		I16: cast[int16, uint8], I32: cast[int32, uint8], I64: cast[int64, uint8], F32: cast[float32, uint8],
		F64: cast[float64, uint8],
	},
	U16: {I32: cast[int32, uint16], I64: cast[int64, uint16], F32: cast[float32, uint16], F64: cast[float64, uint16]},
	U32: {I64: cast[int64, uint32], F32: cast[float32, uint32], F64: cast[float64, uint32]},
	U64: {F32: single[uint64], F64: cast[float64, uint64], BF16: bf16sOfUints},
	F32: {
		Bool: test[float32, uint32],
		I8:   truncate[int8, float32, uint32], I16: truncate[int16, float32, uint32],
		I32: truncate[int32, float32, uint32], I64: truncate[int64, float32, uint32],
		U8: truncate[uint8, float32, uint32], U16: truncate[uint16, float32, uint32],
		U32: truncate[uint32, float32, uint32], U64: truncate[uint64, float32, uint32],
		F16: halvesOfSingles, F64: cast[float64, float32], C64: widen[float32],
		BF16: bf16sOfSingles, E4M3FN: e4m3fnsOfSingles, E5M2: e5m2sOfSingles,
	},
	F64: {
		Bool: test[float64, uint64],
		I8:   truncate[int8, float64, uint64], I16: truncate[int16, float64, uint64],
		I32: truncate[int32, float64, uint64], I64: truncate[int64, float64, uint64],
		U8: truncate[uint8, float64, uint64], U16: truncate[uint16, float64, uint64],
		U32: truncate[uint32, float64, uint64], U64: truncate[uint64, float64, uint64],
		F16: halvesOfDoubles, F32: cast[float32, float64], C128: widen[float64],
		BF16: bf16sOfDoubles, E4M3FN: e4m3fnsOfDoubles, E5M2: e5m2sOfDoubles,
	},
	F16:    {Bool: test[float32, uint16], F32: singlesOfHalves, F64: doublesOfHalves},
	BF16:   {F32: singlesOfBF16, F64: doublesOfBF16},
	E4M3FN: {F32: singlesOfE4M3FN, F64: doublesOfE4M3FN},
	E5M2:   {F32: singlesOfE5M2, F64: doublesOfE5M2},
}

// each converts n numbers with f.
func each[D uint8 | uint16 | uint32 | float64, S uint8 | uint16 | uint32 | uint64 | int64](dst, src Pointer, n int,
	f func(S) D) {
	d, s := asSlices[D, S](dst, src, n)
	for i := range d {
		d[i] = f(s[i])
	}
}

// asSlices returns the n numbers at dst and the n numbers at src as slices.
func asSlices[D, S any](dst, src Pointer, n int) ([]D, []S) {
	return unsafe.Slice((*D)(dst), n), unsafe.Slice((*S)(src), n)
}

// four returns the four numbers of type T at p, starting with number i.
func four[T any](p Pointer, i int) *[4]T { return (*[4]T)(Add(p, i*int(unsafe.Sizeof(*new(T))))) }

// cast converts numbers with Go's conversions. It must not convert floats to integers, because Go does not define all
// of these results.
func cast[D, S Integer | Float](dst, src Pointer, n int) {
	i := 0
	for ; i+4 <= n; i += 4 {
		d, s := four[D](dst, i), four[S](src, i)
		d[0], d[1], d[2], d[3] = D(s[0]), D(s[1]), D(s[2]), D(s[3])
	}
	d, s := asSlices[D, S](dst, src, n)
	for ; i < n; i++ {
		d[i] = D(s[i])
	}
}

// truncate converts floats to integers. U is the type of the bits of S. The floats that Go converts correctly to D are
// below a limit. truncate finds them by comparing bits, as the bits of positive floats have the order of the floats. If
// D is signed, the comparison ignores the sign.
func truncate[D Integer, S Float, U uint32 | uint64](dst, src Pointer, n int) {
	_, limit := bounds[D, S]()
	limit = min(limit, 1<<63)
	most := *(*U)(Pointer(&limit))
	sign := U(0)
	if ^D(0) < 0 {
		sign = ^(^U(0) >> 1)
	}
	d, s := asSlices[D, S](dst, src, n)
	_, u := asSlices[D, U](dst, src, n)
	for i, x := range u {
		if x&^sign < most {
			d[i] = D(int64(s[i]))
		} else {
			d[i] = trunc[D](s[i])
		}
	}
}

// bounds returns the least D, and the greatest D plus 1. Both are 0 or powers of two, so they are exact.
func bounds[D Integer, S Float]() (low, limit S) {
	bits := 8 * unsafe.Sizeof(D(0))
	if ^D(0) < 0 {
		bits--
		low = -S(uint64(1) << bits)
	}
	return low, S(uint64(1)<<(bits-1)) * 2
}

// trunc converts one float to an integer, as Convert specifies.
func trunc[D Integer, S Float](x S) D {
	low, limit := bounds[D, S]()
	switch {
	case x >= limit && low < 0:
		return ^D(int64(low))
	case x >= limit:
		return ^D(0)
	case x <= low:
		return D(int64(low))
	case x != x:
		return 0
	case x >= 1<<63: // D is uint64, and Go does not define the direct conversion
		return D(uint64(int64(x-1<<63)) ^ 1<<63)
	}
	return D(int64(x))
}

// widen converts floats to complex numbers with an imaginary part of 0.
func widen[F Float](dst, src Pointer, n int) {
	d, s := asSlices[[2]F, F](dst, src, n)
	for i, x := range s {
		d[i][0], d[i][1] = x, 0
	}
}

// test stores whether numbers are nonzero. U is S, or the type of its bits if S is a float. Comparing the bits without
// the sign takes half the time.
func test[S Real, U Integer](dst, src Pointer, n int) {
	i, sign := 0, signBits[S]()
	for ; i+4 <= n; i += 4 {
		d, s := four[bool](dst, i), four[U](src, i)
		d[0], d[1], d[2], d[3] = s[0]<<sign != 0, s[1]<<sign != 0, s[2]<<sign != 0, s[3]<<sign != 0
	}
	d, s := asSlices[bool, U](dst, src, n)
	for ; i < n; i++ {
		d[i] = s[i]<<sign != 0
	}
}

// single converts integers of 64 bits to float32. On 32-bit machines, where the Go runtime rounds a few of them wrong,
// it converts them to float64 first. If float64 has too few bits for the integer, the lost bits are merged into one
// bit, which tells on which side of a tie the integer is.
func single[S int64 | uint64](dst, src Pointer, n int) {
	if unsafe.Sizeof(uintptr(0)) == 8 {
		cast[float32, S](dst, src, n)
		return
	}
	d, s := asSlices[float32, S](dst, src, n)
	for i, x := range s {
		const lost = 1<<11 - 1
		if h := x >> 52; h != 0 && ^h != 0 && int64(x)&lost != 0 {
			x = S(int64(x)&^lost | (lost + 1))
		}
		d[i] = float32(float64(x))
	}
}

// cleanBytes copies n bytes and replaces nonzero bytes by 1. dst and src may be equal.
func cleanBytes(dst, src Pointer, n int) {
	ne := binary.NativeEndian
	d, s := asSlices[byte, byte](dst, src, n)
	for ; len(s) >= 8; s, d = s[8:], d[8:] {
		ne.PutUint64(d, cleanWord(ne.Uint64(s)))
	}
	for i, x := range s {
		d[i] = min(x, 1)
	}
}

// cleanWord returns x with each nonzero byte replaced by 1.
func cleanWord(x uint64) uint64 {
	const ones = 0x0101010101010101
	x |= x&(0x7F*ones) + 0x7F*ones // sets the top bit of each nonzero byte
	return x >> 7 & ones
}
