package kernel

import (
	"math"
	"unsafe"
)

// minMaxPlain is MinMax in plain Go, without a branch for each number.
func minMaxPlain[T Real](s []T, swap int) (lo, hi T) {
	if swap != 0 {
		var buf [256]T
		lo, hi = Native(s[0], swap), Native(s[0], swap)
		for len(s) > 0 {
			n := min(len(s), len(buf))
			l, h := minMaxPlain(inNative(buf[:], s[:n], swap), 0)
			lo, hi, s = min(lo, l), max(hi, h), s[n:]
		}
		return lo, hi
	}
	n, p := len(s), Pointer(unsafe.SliceData(s))
	switch size := unsafe.Sizeof(lo); {
	case isFloat[T]() && size == 4:
		l, h := minMaxBits[uint32, int32, float32](unsafe.Slice((*uint32)(p), n))
		return T(l), T(h)
	case isFloat[T]():
		l, h := minMaxBits[uint64, int64, float64](unsafe.Slice((*uint64)(p), n))
		return T(l), T(h)
	case size <= 2:
		return minMaxLanes(s)
	}
	return minMaxEach(s)
}

// minMaxEach takes one number after the other.
func minMaxEach[T Real](s []T) (lo, hi T) {
	lo, hi = s[0], s[0]
	l1, h1 := lo, hi
	for ; len(s) >= 4; s = s[4:] {
		x := (*[4]T)(s)
		lo, hi = min(lo, x[0]), max(hi, x[0])
		l1, h1 = min(l1, x[1]), max(h1, x[1])
		lo, hi = min(lo, x[2]), max(hi, x[2])
		l1, h1 = min(l1, x[3]), max(h1, x[3])
	}
	for _, x := range s {
		lo, hi = min(lo, x), max(hi, x)
	}
	return min(lo, l1), max(hi, h1)
}

// minMaxBits returns the least and greatest of floats by their bits, which are a sign and a size: of negative ones,
// those that are greater as unsigned integers U are less, and all of these are above those of the others. So the
// least is that with the greatest bits if one is negative, or that with the least; and the greatest is that with the
// greatest as signed integers S if one is not negative, or that with the least. The bits of NaN are behind those of
// infinity.
func minMaxBits[U uint32 | uint64, S int32 | int64, F Float](s []U) (lo, hi F) {
	most, least, top := s[0], s[0], S(s[0])
	most1, least1, top1 := most, least, top
	for ; len(s) >= 4; s = s[4:] {
		x := (*[4]U)(s)
		most, least, top = max(most, x[0]), min(least, x[0]), max(top, S(x[0]))
		most1, least1, top1 = max(most1, x[1]), min(least1, x[1]), max(top1, S(x[1]))
		most, least, top = max(most, x[2]), min(least, x[2]), max(top, S(x[2]))
		most1, least1, top1 = max(most1, x[3]), min(least1, x[3]), max(top1, S(x[3]))
	}
	for _, x := range s {
		most, least, top = max(most, x), min(least, x), max(top, S(x))
	}
	most, least, top = max(most, most1), min(least, least1), max(top, top1)
	inf := F(math.Inf(1))
	if top > *(*S)(Pointer(&inf)) {
		return F(math.NaN()), F(math.NaN())
	}
	if inf = -inf; most > *(*U)(Pointer(&inf)) {
		return F(math.NaN()), F(math.NaN())
	}
	low, high := least, least
	if S(most) < 0 {
		low = most
	}
	if top >= 0 {
		high = U(top)
	}
	return *(*F)(Pointer(&low)), *(*F)(Pointer(&high))
}

// minMaxLanes is minMaxEach for integers of 1 or 2 bytes. It looks at those of a word at once, and takes one after the
// other where some are less or greater than all before.
func minMaxLanes[T Real](s []T) (lo, hi T) {
	size := int(unsafe.Sizeof(lo))
	head := min(len(s), int(-uintptr(Pointer(&s[0]))&7)/size) // up to a whole word
	lo, hi = minMaxEach(s[:max(1, head)])
	s = s[head:]
	flip := signs[T]() // which makes signed integers unsigned ones of the same order
	if T(0)-1 > 0 {
		flip = 0
	}
	for len(s)*size >= 8*wordsWithin {
		w := unsafe.Slice((*uint64)(Pointer(&s[0])), len(s)*size/8)
		if size == 1 {
			s = s[8*within8(w, widened(lo, flip), widened(hi, flip), flip):]
		} else {
			s = s[4*within16(w, widened(lo, flip), widened(hi, flip), flip):]
		}
		some := s[:min(len(s), 8*wordsWithin/size)] // these may change the result
		lo, hi = includeEach(lo, hi, some)
		s = s[len(some):]
	}
	return includeEach(lo, hi, s)
}

// widened returns the bits of x, after some were flipped as those of flip.
func widened[T Real](x T, flip uint64) uint64 {
	if unsafe.Sizeof(x) == 1 {
		return uint64(*(*uint8)(Pointer(&x)) ^ uint8(flip))
	}
	return uint64(*(*uint16)(Pointer(&x)) ^ uint16(flip))
}

// includeEach returns the least and greatest of lo, hi and s.
func includeEach[T Real](lo, hi T, s []T) (l, h T) {
	for _, x := range s {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// wordsWithin is how many words within8 and within16 look at at once.
const wordsWithin = 4

// within8 returns a number of words at the start of w, of 8 integers each, that are not less than lo and no more than
// hi, after bits were flipped as those of flip. Every second one is put into a lane of 16 bits, of which the highest
// is set in the sum with what is left to 1<<15.
func within8(w []uint64, lo, hi, flip uint64) (done int) {
	const ones, even, top = 0x0001000100010001, 0x00FF00FF00FF00FF, 0x8000800080008000
	return within(w, even, top, ones*(1<<15-1-hi), ones*(1<<15-lo), flip, 8)
}

// within16 is within8 for words of 4 integers.
func within16(w []uint64, lo, hi, flip uint64) (done int) {
	const ones, even, top = 0x0000000100000001, 0x0000FFFF0000FFFF, 0x8000000080000000
	return within(w, even, top, ones*(1<<31-1-hi), ones*(1<<31-lo), flip, 16)
}

func within(w []uint64, even, top, above, below, flip uint64, bits int) (done int) {
	for ; len(w)-done >= wordsWithin; done += wordsWithin {
		x := (*[wordsWithin]uint64)(Pointer(&w[done]))
		a, b := (x[0]^flip)&even, (x[0]^flip)>>(bits&31)&even
		isAbove, isWithin := (a+above)|(b+above), (a+below)&(b+below)
		a, b = (x[1]^flip)&even, (x[1]^flip)>>(bits&31)&even
		isAbove, isWithin = isAbove|(a+above)|(b+above), isWithin&(a+below)&(b+below)
		a, b = (x[2]^flip)&even, (x[2]^flip)>>(bits&31)&even
		isAbove, isWithin = isAbove|(a+above)|(b+above), isWithin&(a+below)&(b+below)
		a, b = (x[3]^flip)&even, (x[3]^flip)>>(bits&31)&even
		isAbove, isWithin = isAbove|(a+above)|(b+above), isWithin&(a+below)&(b+below)
		if (isAbove|^isWithin)&top != 0 {
			break
		}
	}
	return done
}
