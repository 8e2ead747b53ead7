package kernel

import (
	"math"
	"unsafe"
)

// minMaxPlain implements MinMax in plain Go. It has no branch for each number.
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

// minMaxEach implements minMaxPlain for integers in native order.
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
	lo, hi = includeEach(lo, hi, s)
	return min(lo, l1), max(hi, h1)
}

// minMaxBits returns the least and greatest of floats, which are given by their bits: a sign and a magnitude. It
// compares the bits as unsigned integers U and as signed integers S:
//
//   - As a U, a negative float is greater than all others, and the lesser the float, the greater its U. So the float with
//     the greatest U is the least one if it is negative. Otherwise the float with the least U is the least one.
//   - As an S, a float that is not negative is greater than all negative ones. So the float with the greatest S is the
//     greatest one if it is not negative. Otherwise the float with the least U is the greatest one.
//   - The magnitude of NaN is greater than the magnitude of infinity.
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

// minMaxLanes implements minMaxEach for integers of 1 or 2 bytes. It checks the integers of a few words at once, and
// compares them one by one only if one of them is outside the range of the previous integers.
func minMaxLanes[T Real](s []T) (lo, hi T) {
	size := int(unsafe.Sizeof(lo))
	head := min(len(s), int(-uintptr(Pointer(&s[0]))&7)/size) // up to the first aligned word
	lo, hi = includeEach(s[0], s[0], s[:head])
	s = s[head:]
	bits, flip := 8*unsafe.Sizeof(lo), unsignedFlip[T]()
	one := laneOnes(2 * bits)
	even, top := one*(1<<bits-1), one<<(2*bits-1) // the lower half and the top bit of each lane of twice the size
	for len(s)*size >= 8*wordsWithin {
		w := unsafe.Slice((*uint64)(Pointer(&s[0])), len(s)*size/8)
		above, below := top-one-(repeated(hi)^flip)&even, top-(repeated(lo)^flip)&even
		s = s[8/size*wordsInRange(w, flip, even, above, below, top, int(bits)):]
		some := s[:min(len(s), 8*wordsWithin/size)] // these may change the result
		lo, hi = includeEach(lo, hi, some)
		s = s[len(some):]
	}
	return includeEach(lo, hi, s)
}

// includeEach returns the least and greatest number of lo, hi and s.
func includeEach[T Real](lo, hi T, s []T) (l, h T) {
	for _, x := range s {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// wordsWithin is the number of words that wordsInRange checks at once.
const wordsWithin = 4

// wordsInRange returns the number of words at the start of w, in groups of wordsWithin, whose integers are all within a
// range. Integers have the given number of bits, and XOR with flip maps them to unsigned ones of the same order.
// wordsInRange puts every second integer of a word into a lane of twice the size. Adding above sets the top bit of
// the lane if the integer is greater than the range, and adding below sets it unless the integer is less than the
// range.
func wordsInRange(w []uint64, flip, even, above, below, top uint64, bits int) (done int) {
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
