package kernel

import (
	"math"
	"unsafe"
)

// vectorBytes is the number of bytes that the loops for extremes read at a time.
const vectorBytes = 32

// extremes holds the least and the greatest number in each lane of a vector. Unsigned integers are stored as signed
// integers of the same order. For floats, any holds the bits that are set in at least one number, all holds the bits
// that are set in every number, and nan is nonzero in a lane with a NaN.
type extremes struct{ lo, hi, any, all, nan [4]uint64 }

// noExtremes returns the extremes of an empty slice.
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

// minMax returns the least and the greatest of the numbers that were added to e. If one of the numbers is NaN, both
// results are NaN. -0 is less than 0.
func minMax[T Real](e *extremes) (lo, hi T) {
	flip := signFlip[T]()
	for i := range 4 { // back to unsigned integers, if T is unsigned
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
	// Vector instructions treat 0 and -0 as equal. The least number is -0 if any number has a sign, and the greatest is
	// -0 if all numbers have one.
	zero := func(x T, negative bool) T {
		switch {
		case x != 0:
			return x
		case negative:
			return T(math.Copysign(0, -1))
		}
		return 0
	}
	sign := signs[T]()
	lo = zero(lo, (e.any[0]|e.any[1]|e.any[2]|e.any[3])&sign != 0)
	hi = zero(hi, e.all[0]&e.all[1]&e.all[2]&e.all[3]&sign == sign)
	return lo, hi
}

// MinMax returns the least and the greatest of s, which is not empty. If one of the numbers is NaN, both results are
// NaN. -0 is less than 0.
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

// isFloat reports whether T is a float.
func isFloat[T Real]() bool { return T(1)/2 != 0 }

// signFlip returns a mask to XOR with numbers. It maps unsigned integers to signed ones of the same order, and is 0 for
// other types.
func signFlip[T Real]() uint64 {
	if zero := T(0); zero-1 > 0 {
		return signs[T]()
	}
	return 0
}

// unsignedFlip returns a mask to XOR with integers. It maps signed integers to unsigned ones of the same order, and
// is 0 for unsigned integers.
func unsignedFlip[T Real]() uint64 { return signs[T]() ^ signFlip[T]() }

// signs returns a word with the sign bit of a T set in each lane.
func signs[T Real]() uint64 {
	bits := 8 * unsafe.Sizeof(T(0))
	return laneOnes(bits) << (bits - 1)
}

// laneOnes returns a word with 1 in each lane of the given number of bits, up to 64.
func laneOnes(bits uintptr) uint64 { return ^uint64(0) / (1<<bits - 1) }

// repeated returns a word with x in each lane.
func repeated[T Real](x T) (word uint64) {
	for i := 0; i < 8; i += int(unsafe.Sizeof(x)) {
		*(*T)(Add(Pointer(&word), i)) = x
	}
	return word
}
