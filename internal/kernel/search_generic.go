package kernel

import (
	"bytes"
	"slices"
	"unsafe"
)

// The loops below search and count numbers. They take several short numbers at a time, in the lanes of a word.

// aligned divides s into aligned words and the numbers before and after these words.
func aligned[T Real](s []T) (head []T, words []uint64, tail []T) {
	size := int(unsafe.Sizeof(T(0)))
	n := int(-uintptr(Pointer(unsafe.SliceData(s)))&7) / size
	if len(s) < n+8/size {
		return s, nil, nil
	}
	words = unsafe.Slice((*uint64)(Pointer(&s[n])), (len(s)-n)*size/8)
	return s[:n], words, s[n+len(words)*8/size:]
}

// nonzeroPlain implements Nonzero in plain Go.
func nonzeroPlain[T Real](s []T) int {
	switch n, p := len(s), Pointer(unsafe.SliceData(s)); unsafe.Sizeof(T(0)) {
	case 4:
		return nonzeroBits[T](unsafe.Slice((*uint32)(p), n))
	case 8:
		return nonzeroBits[T](unsafe.Slice((*uint64)(p), n))
	}
	head, words, tail := aligned(s)
	return nonzeroEach(head) + nonzeroLanes[T](words) + nonzeroEach(tail)
}

// nonzeroBits implements nonzeroPlain for the bits of numbers of type T.
func nonzeroBits[T Real, U uint32 | uint64](s []U) (n int) {
	more, sign := 0, signBits[T]()
	for ; len(s) >= 4; s = s[4:] {
		x := (*[4]U)(s)
		n += boolToInt(x[0]<<sign != 0) + boolToInt(x[1]<<sign != 0)
		more += boolToInt(x[2]<<sign != 0) + boolToInt(x[3]<<sign != 0)
	}
	for _, x := range s {
		n += boolToInt(x<<sign != 0)
	}
	return n + more
}

// signBits returns the number of upper bits to ignore when a T is compared with 0: 1, the sign, for a float.
func signBits[T Real]() int { return boolToInt(isFloat[T]()) }

// nonzeroEach implements nonzeroPlain for a few numbers.
func nonzeroEach[T Real](s []T) (n int) {
	for _, x := range s {
		n += boolToInt(x != 0)
	}
	return n
}

// boolToInt returns 1 if b is true, and 0 otherwise.
func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// nonzeroLanes returns the count of nonzero integers of 1 or 2 bytes in words.
func nonzeroLanes[T Real](words []uint64) (n int) {
	bits := 8 * unsafe.Sizeof(T(0))
	one := laneOnes(bits)
	low := one<<(bits-1) - one           // all bits except the top of each lane
	most := (1<<bits - 1) / int(64/bits) // a lane can hold the sum of all lanes
	for len(words) > 0 {
		some := words[:min(len(words), most)]
		var sum uint64
		for _, x := range some {
			sum += (x&low + low | x) >> (bits - 1) & one // the top bit of each nonzero lane
		}
		n += int(sum * one >> (64 - bits))
		words = words[len(some):]
	}
	return n
}

// indexPlain returns the index of the first number in s with the bits of x, or of the first zero, of any sign, if x is
// 0. s must contain x.
func indexPlain[T Real](s []T, x T) (i int) {
	mask := ^uint64(0) // of the bits that are compared
	if x == 0 && isFloat[T]() {
		x, mask = 0, mask>>1
	}
	switch n, p, b := len(s), Pointer(unsafe.SliceData(s)), Pointer(&x); unsafe.Sizeof(x) {
	case 1:
		return bytes.IndexByte(Bytes(p, n), *(*byte)(b))
	case 4:
		return indexBits(unsafe.Slice((*uint32)(p), n), *(*uint32)(b), uint32(mask>>32))
	case 8:
		return indexBits(unsafe.Slice((*uint64)(p), n), *(*uint64)(b), mask)
	}
	head, words, _ := aligned(s)
	if i = slices.Index(head, x); i < 0 {
		i = len(head) + 4*wordsWithoutLane(words, repeated(x))
		i += slices.Index(s[i:], x)
	}
	return i
}

// indexBits implements indexPlain for the bits of numbers of 4 or 8 bytes. It compares only the bits of mask.
func indexBits[U uint32 | uint64](s []U, x, mask U) (i int) {
	for ; i+4 <= len(s); i += 4 {
		if y := (*[4]U)(s[i:]); y[0]&mask == x || y[1]&mask == x || y[2]&mask == x || y[3]&mask == x {
			break
		}
	}
	for s[i]&mask != x {
		i++
	}
	return i
}

// wordsWithoutLane returns a number of words at the start of words that do not contain the lane of 16 bits that lanes
// repeats. The result is up to 3 less than the number of all such words.
func wordsWithoutLane(words []uint64, lanes uint64) (n int) {
	const one, top = 0x0001000100010001, 0x8000800080008000
	for ; n+4 <= len(words); n += 4 {
		w := (*[4]uint64)(words[n:])
		a, b, c, d := w[0]^lanes, w[1]^lanes, w[2]^lanes, w[3]^lanes
		if ((a-one)&^a|(b-one)&^b|(c-one)&^c|(d-one)&^d)&top != 0 { // a lane is 0
			break
		}
	}
	return n
}
