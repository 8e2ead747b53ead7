package kernel

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

type loop func(dst, src Pointer, n int)

// table[from][to]
var table = [nums][nums]loop{
	Bool: fromBool(),
	I8:   fromInt[int8](),
	I16:  fromInt[int16](),
	I32:  fromInt[int32](),
	I64:  from64[int64](),
	U8:   fromInt[uint8](),
	U16:  fromInt[uint16](),
	U32:  fromInt[uint32](),
	U64:  from64[uint64](),
	F32:  fromFloat[float32, uint32](),
	F64:  fromFloat[float64, uint64](),
	C64:  fromComplex[complex64, float32](),
	C128: fromComplex[complex128, float64](),
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

type cplx interface{ complex64 | complex128 }

func asSlices[D, S any](dst, src Pointer, n int) ([]D, []S) {
	return unsafe.Slice((*D)(dst), n), unsafe.Slice((*S)(src), n)
}

// four returns the four numbers of type T from number i on.
func four[T any](p Pointer, i int) *[4]T { return (*[4]T)(Add(p, i*int(unsafe.Sizeof(*new(T))))) }

// cast is Go's own conversion between integers and floats, where that is defined
// on every machine: not from a float to an integer.
func cast[D, S integer | float](dst, src Pointer, n int) {
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

// truncate converts floats, whose bits are a U, to integers. What Go converts at once is known by its bits: those of
// a float less than a limit are less than that's, and without the sign for a D that has one.
func truncate[D integer, S float, U uint32 | uint64](dst, src Pointer, n int) {
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

// bounds are the least number of D and what is above the largest: powers of two, or
// 0, so they are exact as floats.
func bounds[D integer, S float]() (low, limit S) {
	bits := 8 * unsafe.Sizeof(D(0))
	if ^D(0) < 0 {
		bits--
		low = -S(uint64(1) << bits)
	}
	return low, S(uint64(1)<<(bits-1)) * 2
}

func trunc[D integer, S float](x S) D {
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
	case x >= 1<<63: // of uint64 only; Go need not convert that at once
		return D(uint64(int64(x-1<<63)) ^ 1<<63)
	}
	return D(int64(x))
}

func widen[D cplx, F, S integer | float](dst, src Pointer, n int) {
	d, s := asSlices[[2]F, S](dst, src, n)
	for i := range d {
		d[i][0], d[i][1] = F(s[i]), 0
	}
}

// testBits is test for floats, by their bits: those of zero are 0, but for the sign.
func testBits[U uint32 | uint64](dst, src Pointer, n int) {
	i := 0
	for ; i+4 <= n; i += 4 {
		d, s := four[bool](dst, i), four[U](src, i)
		d[0], d[1], d[2], d[3] = s[0]<<1 != 0, s[1]<<1 != 0, s[2]<<1 != 0, s[3]<<1 != 0
	}
	d, s := asSlices[bool, U](dst, src, n)
	for ; i < n; i++ {
		d[i] = s[i]<<1 != 0
	}
}

// testPairs is testBits for complex numbers.
func testPairs[U uint32 | uint64](dst, src Pointer, n int) {
	d, s := asSlices[bool, [2]U](dst, src, n)
	for i := range d {
		d[i] = (s[i][0]|s[i][1])<<1 != 0
	}
}

func test[S integer](dst, src Pointer, n int) {
	i := 0
	for ; i+4 <= n; i += 4 {
		d, s := four[bool](dst, i), four[S](src, i)
		d[0], d[1], d[2], d[3] = s[0] != 0, s[1] != 0, s[2] != 0, s[3] != 0
	}
	d, s := asSlices[bool, S](dst, src, n)
	for ; i < n; i++ {
		d[i] = s[i] != 0
	}
}

// single is cast to float32 and widen to complex64, by step, for 64-bit integers
// where the Go runtime has to make those: on 32-bit machines it rounds a few of
// them the wrong way. By way of float64 they are right, if what that has no room
// for leaves a bit behind, which says on what side of the middle the integer is.
func single[S int64 | uint64](step int) loop {
	return func(dst, src Pointer, n int) {
		d := unsafe.Slice((*float32)(dst), n*step)
		clear(d)
		for i, x := range unsafe.Slice((*S)(src), n) {
			const lost = 1<<11 - 1
			if h := x >> 52; h != 0 && ^h != 0 && int64(x)&lost != 0 {
				x = S(int64(x)&^lost | (lost + 1))
			}
			d[i*step] = float32(float64(x))
		}
	}
}

func from64[S int64 | uint64]() [nums]loop {
	row := fromInt[S]()
	if unsafe.Sizeof(uintptr(0)) < 8 {
		row[F32], row[C64] = single[S](1), single[S](2)
	}
	return row
}

func fromInt[S integer]() [nums]loop {
	return [nums]loop{test[S], cast[int8, S], cast[int16, S], cast[int32, S], cast[int64, S],
		cast[uint8, S], cast[uint16, S], cast[uint32, S], cast[uint64, S], nil, cast[float32, S], cast[float64, S],
		widen[complex64, float32, S], widen[complex128, float64, S]}
}

func fromFloat[S float, U uint32 | uint64]() [nums]loop {
	return [nums]loop{testBits[U], truncate[int8, S, U], truncate[int16, S, U], truncate[int32, S, U], truncate[int64, S,
		U],
		truncate[uint8, S, U], truncate[uint16, S, U], truncate[uint32, S, U], truncate[uint64, S, U], nil, cast[float32, S],
		cast[float64, S],
		widen[complex64, float32, S], widen[complex128, float64, S]}
}

func fromComplex[S cplx, F float]() (row [nums]loop) {
	row[Bool] = testPairs[uint64]
	if unsafe.Sizeof(F(0)) == 4 {
		row[Bool] = testPairs[uint32]
	}
	row[C64] = between[float32, F]
	row[C128] = between[float64, F]
	return row
}

// between converts complex numbers of parts S to ones of parts D.
func between[D, S float](dst, src Pointer, n int) { cast[D, S](dst, src, 2*n) }

func fromBool() [nums]loop {
	return [nums]loop{func(dst, src Pointer, n int) { clean(Bytes(dst, n), Bytes(src, n)) },
		flags[int8], flags[int16], flags[int32], flags[int64], flags[uint8], flags[uint16], flags[uint32], flags[uint64],
		nil, flags[float32], flags[float64], flagPairs[float32], flagPairs[float64]}
}

// flags converts bytes that are made 0 or 1 first.
func flags[D integer | float](dst, src Pointer, n int) {
	i := 0
	for ; i+8 <= n; i += 8 {
		d, x := (*[8]D)(Add(dst, i*int(unsafe.Sizeof(D(0))))), cleaned(wordAt(src, i))
		if bigEndian {
			x = bits.ReverseBytes64(x)
		}
		d[0], d[1], d[2], d[3] = D(uint8(x)), D(uint8(x>>8)), D(uint8(x>>16)), D(uint8(x>>24))
		d[4], d[5], d[6], d[7] = D(uint8(x>>32)), D(uint8(x>>40)), D(uint8(x>>48)), D(uint8(x>>56))
	}
	d, s := asSlices[D, uint8](dst, src, n)
	for ; i < n; i++ {
		d[i] = D(min(s[i], 1))
	}
}

// flagPairs is flags to complex numbers with parts of type F.
func flagPairs[F float](dst, src Pointer, n int) {
	d, s := asSlices[[2]F, uint8](dst, src, n)
	for i, x := range s {
		d[i] = [2]F{F(min(x, 1))}
	}
}

// clean makes each byte of d 0 or 1, as that of s is 0 or not. They have one length, and
// may be the same memory.
func clean(d, s []byte) {
	ne := binary.NativeEndian
	for len(s) >= 8 && len(d) >= 8 {
		ne.PutUint64(d, cleaned(ne.Uint64(s)))
		s, d = s[8:], d[8:]
	}
	for i, x := range s {
		d[i] = min(x, 1)
	}
}

// cleaned makes each byte of x 0 or 1.
func cleaned(x uint64) uint64 {
	const ones = 0x0101010101010101
	x |= x&(0x7F*ones) + 0x7F*ones // the top bit of each byte that is not 0
	return x >> 7 & ones
}

// bigEndian says that the first byte of a word is the highest.
var bigEndian = binary.NativeEndian.Uint16([]byte{0, 1}) == 1
