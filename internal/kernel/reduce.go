package kernel

import (
	"math/bits"
	"slices"
	"unsafe"
)

// Real is the constraint for the integer and floating-point types. It excludes types defined from them, such as
// dtype.Half, because these do not have the arithmetic of their underlying type.
type Real interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint | float32 | float64
}

// sumLeaf is the maximum number of elements that Sum adds up in one loop; it divides longer slices and adds the results
// pairwise. It equals NumPy's PW_BLOCKSIZE in numpy/core/src/umath/loops_utils.h.src.
const sumLeaf = 128

// The parameter swap of the functions below is 0 for native order. If the bytes of numbers are reversed in memory, swap
// is the size of a number.

// Native returns x with its bytes reversed, unless swap is 0.
func Native[T Real](x T, swap int) T {
	switch p := Pointer(&x); swap {
	case 2:
		*(*uint16)(p) = bits.ReverseBytes16(*(*uint16)(p))
	case 4:
		*(*uint32)(p) = bits.ReverseBytes32(*(*uint32)(p))
	case 8:
		*(*uint64)(p) = bits.ReverseBytes64(*(*uint64)(p))
	}
	return x
}

// inNative returns the numbers of s in native order. If swap is not 0, it stores the result in buf.
func inNative[T Real](buf, s []T, swap int) []T {
	if swap == 0 {
		return s
	}
	if len(s) > 0 {
		reverseRun(Pointer(&buf[0]), Pointer(&s[0]), len(s), swap)
	}
	return buf[:len(s)]
}

// numOf returns the Num that identifies T.
func numOf[T Real]() Num {
	switch log := Num(bits.TrailingZeros(uint(unsafe.Sizeof(T(0))))); {
	case isFloat[T]():
		return F16 + log - 1
	case T(0)-1 > 0:
		return U8 + log
	default:
		return I8 + log
	}
}

// Sum adds up s as float64, pairwise: the rounding error grows with the logarithm of the length. The order of the
// additions depends only on the length.
//
// Sum divides s into leaves of sumLeaf elements. Each leaf has eight sums, of every eighth element. These are added in
// pairs, followed by the remaining elements of the last leaf. The sums of the leaves are added in pairs, the results in
// pairs, and so on.
func Sum[T Real](s []T) float64 { return pairwise(s, 0) }

// SumRows stores the Sum of each of len(out) rows of n numbers, which are stride bytes apart.
func SumRows[T Float](out []float64, p Pointer, stride, n, swap int) {
	if n <= sumLeaf {
		sumRows[T](out, p, stride, n, swap)
		return
	}
	for i := range out {
		out[i] = pairwise(rowAt[T](p, stride, i, n), swap)
	}
}

// pairwise implements Sum. If s has more leaves than one call adds up, it divides them into two parts. The number of
// leaves in the first part is the greatest power of two that is less than the number of all leaves.
func pairwise[T Real](s []T, swap int) float64 {
	if len(s) > leavesPerCall*sumLeaf {
		half := leavesPerCall * sumLeaf
		for 2*half < len(s) {
			half *= 2
		}
		return pairwise(s[:half], swap) + pairwise(s[half:], swap)
	}
	if len(s) <= sumLeaf {
		var sum [1]float64
		sumRows[T](sum[:], Pointer(unsafe.SliceData(s)), 0, len(s), swap)
		return sum[0]
	}
	var sums [leavesPerCall]float64
	n := len(s) / sumLeaf
	p, bytes := Pointer(&s[0]), sumLeaf*int(unsafe.Sizeof(s[0]))
	sumRows[T](sums[:n], p, bytes, sumLeaf, swap)
	if rest := len(s) % sumLeaf; rest > 0 {
		sumRows[T](sums[n:n+1], Add(p, n*bytes), 0, rest, swap)
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

// sumRows stores the sum of each of len(out) rows of up to sumLeaf numbers, which are stride bytes apart.
func sumRows[T Real](out []float64, p Pointer, stride, n, swap int) {
	if loop := active.sumRows[numOf[T]()]; loop != nil && n > 0 && len(out) > 0 {
		ahead := prefetchBytes
		if bytes := n * int(unsafe.Sizeof(T(0))); stride != 0 && ahead > 0 {
			ahead = (1 + ahead/bytes) * stride
		}
		done := loop(Hide(Pointer(&out[0])), Hide(p), stride, len(out), n, swap, ahead)
		if done == len(out) {
			return
		}
		out, p = out[done:], Add(p, done*stride)
	}
	var buf [sumLeaf]T
	for i := range out {
		out[i] = sumPlain(inNative(buf[:], rowAt[T](p, stride, i, n), swap))
	}
}

// sumPlain adds up a leaf. It has eight sums, so that additions do not wait for each other.
func sumPlain[T Real](s []T) float64 {
	var a0, a1, a2, a3, a4, a5, a6, a7 float64
	for len(s) >= 8 {
		b := s[:8:8]
		a0 += float64(b[0])
		a1 += float64(b[1])
		a2 += float64(b[2])
		a3 += float64(b[3])
		a4 += float64(b[4])
		a5 += float64(b[5])
		a6 += float64(b[6])
		a7 += float64(b[7])
		s = s[8:]
	}
	sum := ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7))
	for _, x := range s {
		sum += float64(x)
	}
	return sum
}

// FirstOf returns the index of the first x in s, or of the first NaN if x is NaN. s must contain x.
func FirstOf[T Real](s []T, x T, swap int) int {
	if x == x && (x != 0 || swap == 0 || !isFloat[T]()) { // otherwise different bits may match: 0 and -0, or NaNs
		return indexPlain(s, Native(x, swap))
	}
	return slices.IndexFunc(s, func(y T) bool {
		y = Native(y, swap)
		return y == x || x != x && y != y
	})
}
