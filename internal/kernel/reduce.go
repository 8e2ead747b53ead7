package kernel

import (
	"slices"
	"unsafe"
)

// Real is a type of real numbers. Types that are defined from them are left out: a
// dtype.Half is a uint16 that must not be summed as one.
type Real interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint | float32 | float64
}

// leaf is how many elements Sum adds up before it goes on pairwise: the same as
// NumPy's (PW_BLOCKSIZE in numpy/core/src/umath/loops_utils.h.src).
const leaf = 128

// leaves is how many leaves the assembly adds up in one call.
const leaves = 32

// Some functions have a parameter swap: 0, or the size of the numbers, whose bytes are then reversed in memory. It
// is 0 unless TakesReversed returns true. Those that reduce columns then want rows of a multiple of ReversedBytes,
// and a multiple of ReversedRows of them, but for Behind.
const (
	ReversedBytes = 128
	ReversedRows  = 8
)

// TakesReversed reports whether swap may be other than 0: with vectors only.
func TakesReversed() bool { return vectors }

// Native returns x with its bytes reversed, unless swap is 0.
func Native[T Real](x T, swap int) T {
	if swap > 0 {
		x = item[T](Pointer(&x), true)
	}
	return x
}

// Sum adds up s in the type A, pairwise, so that the rounding error of floats grows
// with the logarithm of the length. The order of the additions depends on the
// length alone: eight sums of every eighth element of 128, those in pairs, and then what
// is left over of the last 128; what comes of each 128 in pairs, and so on.
func Sum[A, T Real](s []T) A {
	var a A
	if vectors && !isFloat[A]() && unsafe.Sizeof(a) == unsafe.Sizeof(T(0)) {
		return sumWrapping[A](s, 0)
	}
	return pairwise[A](s, 0)
}

// SumRows stores Sum of each of len(out) rows of n numbers, which are stride bytes apart.
func SumRows[T Float](out []float64, p Pointer, stride, n, swap int) {
	if n <= leaf {
		sumRows[float64, T](out, p, stride, n, swap)
		return
	}
	for i := range out {
		out[i] = pairwise[float64](rowAt[T](p, stride, i, n), swap)
	}
}

// pairwise adds up s as Sum says: the first part of each pair has a power of two of leaves, the most that is less than all.
func pairwise[A, T Real](s []T, swap int) A {
	if len(s) > leaves*leaf {
		half := leaves * leaf
		for 2*half < len(s) {
			half *= 2
		}
		return pairwise[A](s[:half], swap) + pairwise[A](s[half:], swap)
	}
	if len(s) <= leaf {
		var sum [1]A
		sumRows[A, T](sum[:], Pointer(unsafe.SliceData(s)), 0, len(s), swap)
		return sum[0]
	}
	var sums [leaves]A
	n := len(s) / leaf
	p, bytes := Pointer(&s[0]), leaf*int(unsafe.Sizeof(s[0]))
	sumRows[A, T](sums[:n], p, bytes, leaf, swap)
	if rest := len(s) % leaf; rest > 0 {
		sumRows[A, T](sums[n:n+1], Add(p, n*bytes), 0, rest, swap)
		n++
	}
	for ; n > 1; n = (n + 1) / 2 {
		for i := range n / 2 {
			sums[i] = sums[2*i] + sums[2*i+1]
		}
		if n%2 > 0 {
			sums[n/2] = sums[n-1]
		}
	}
	return sums[0]
}

// sumRows stores the sum of each of len(out) rows of n numbers, a leaf or less, which are stride bytes apart.
func sumRows[A, T Real](out []A, p Pointer, stride, n, swap int) {
	if n > 0 && sumRowsVector[A, T](out, p, stride, n, swap) {
		return
	}
	for i := range out {
		out[i] = sumPlain[A](rowAt[T](p, stride, i, n))
	}
}

// sumWrapping adds up integers, in whatever order.
func sumWrapping[A, T Real](s []T, swap int) (sum A) {
	var sums Sums
	n := StripBytes / int(unsafe.Sizeof(T(0)))
	for len(s) >= n {
		rows := min(len(s)/n, callBytes/StripBytes)
		SumStrips[T](&sums, Pointer(&s[0]), dense[swap:swap+1], StripBytes, rows)
		s = s[rows*n:]
	}
	for _, x := range s {
		sum += A(Native(x, swap))
	}
	return sum + Total[A, T](&sums)
}

// MinMax is the least and the greatest of s, which is not empty. If one of them is
// NaN, both are. -0 is less than 0.
func MinMax[T Real](s []T, swap int) (lo, hi T) {
	if swap == 0 && (!vectors || len(s)*int(unsafe.Sizeof(lo)) < StripBytes) {
		return minMaxPlain(s)
	}
	e := NoExtremes[T]()
	n := StripBytes / int(unsafe.Sizeof(T(0)))
	for len(s) >= n {
		rows := min(len(s)/n, callBytes/StripBytes)
		MinMaxStrips[T](&e, Pointer(&s[0]), dense[swap:swap+1], StripBytes, rows)
		s = s[rows*n:]
	}
	lo, hi = MinMaxOf[T](&e)
	for _, x := range s {
		x = Native(x, swap)
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}

// FirstOf returns the index of the first x in s, which has one, or of the first NaN if x is NaN.
func FirstOf[T Real](s []T, x T, swap int) int {
	first := 0
	if x == x && x != 0 { // else other bits may be equal to x, or stand for NaN
		bits := x
		if swap > 0 {
			bits = item[T](Pointer(&x), true)
		}
		first = indexVector(s, bits)
	}
	if x == x && swap == 0 {
		return first + slices.Index(s[first:], x)
	}
	return first + slices.IndexFunc(s[first:], func(y T) bool {
		y = Native(y, swap)
		return y == x || x != x && y != y
	})
}
