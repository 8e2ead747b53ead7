package kernel

import (
	"math"
	"unsafe"
)

// vectorBytes is how many bytes the loops for extremes take at a time.
const vectorBytes = 32

// extremes are the least and the greatest numbers of 32 bytes, lane by lane. Unsigned integers
// are kept as signed ones of the same order. Of floats, any has the bits that one number
// has at least, all those that every number has, and nan is not 0 where one is NaN.
type extremes struct{ lo, hi, any, all, nan [4]uint64 }

// noExtremes returns the extremes of no numbers.
func noExtremes[T Real]() (e extremes) {
	lo, hi := ^signs[T](), signs[T]()
	if isFloat[T]() {
		inf := T(math.Inf(1))
		lo, hi = repeated(inf), repeated(-inf)
	}
	for i := range 4 {
		e.lo[i], e.hi[i], e.all[i] = lo, hi, ^uint64(0)
	}
	return e
}

// minMax returns the least and the greatest of what was added to e. If one is NaN, both
// are. -0 is less than 0.
func minMax[T Real](e *extremes) (lo, hi T) {
	flip := signFlip[T]()
	for i := range 4 { // unsigned integers again
		e.lo[i] ^= flip
		e.hi[i] ^= flip
	}
	at := func(i int, v *[4]uint64) T { return *(*T)(Add(Pointer(v), i)) }
	lo, hi = at(0, &e.lo), at(0, &e.hi)
	for i := 0; i < vectorBytes; i += int(unsafe.Sizeof(lo)) {
		lo, hi = min(lo, at(i, &e.lo)), max(hi, at(i, &e.hi))
	}
	if !isFloat[T]() {
		return lo, hi
	}
	if e.nan != [4]uint64{} {
		return T(math.NaN()), T(math.NaN())
	}
	// Vectors take either zero for the less. If no number is below zero, a sign is that of
	// -0; if none is above, one without a sign is 0.
	if sign := signs[T](); lo == 0 && (e.any[0]|e.any[1]|e.any[2]|e.any[3])&sign != 0 {
		lo = T(math.Copysign(0, -1))
	} else if lo == 0 {
		lo = 0
	}
	if sign := signs[T](); hi == 0 && e.all[0]&e.all[1]&e.all[2]&e.all[3]&sign == sign {
		hi = T(math.Copysign(0, -1))
	} else if hi == 0 {
		hi = 0
	}
	return lo, hi
}

// MinMax is the least and the greatest of s, which is not empty. If one of them is
// NaN, both are. -0 is less than 0.
func MinMax[T Real](s []T, swap int) (lo, hi T) {
	size := int(unsafe.Sizeof(lo))
	loop := active.minMax[numOf[T]()]
	if loop == nil || swap == 0 && len(s)*size < vectorBytes {
		return minMaxPlain(s, swap)
	}
	e := noExtremes[T]()
	for k := 1; k > 0 && len(s)*size >= vectorBytes; s = s[k:] {
		k = loop((*extremes)(Hide(Pointer(&e))), Hide(Pointer(&s[0])), min(len(s), callBytes/size), swap, signFlip[T]())
	}
	lo, hi = minMax[T](&e)
	for _, x := range s {
		x = Native(x, swap)
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

func isFloat[T Real]() bool { return T(1)/2 != 0 }

// signFlip returns what turns unsigned integers into signed ones of the same order, and 0 for other numbers.
func signFlip[T Real]() uint64 {
	if zero := T(0); zero-1 > 0 {
		return signs[T]()
	}
	return 0
}

// signs returns the sign bits of all T in 8 bytes.
func signs[T Real]() uint64 {
	switch unsafe.Sizeof(T(0)) {
	case 1:
		return 0x8080808080808080
	case 2:
		return 0x8000800080008000
	case 4:
		return 0x8000000080000000
	}
	return 1 << 63
}

// repeated returns x as often as 8 bytes have it.
func repeated[T Real](x T) (word uint64) {
	for i := 0; i < 8; i += int(unsafe.Sizeof(x)) {
		*(*T)(Add(Pointer(&word), i)) = x
	}
	return word
}
