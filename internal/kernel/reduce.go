package kernel

import "unsafe"

// Real is a type of real numbers. Types that are defined from them are left out: a
// dtype.Half is a uint16 that must not be summed as one.
type Real interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint | float32 | float64
}

// leaf is how many elements Sum adds up before it goes on pairwise: the same as
// NumPy's (PW_BLOCKSIZE in numpy/core/src/umath/loops_utils.h.src).
const leaf = 128

// Sum adds up s in the type A, pairwise, so that the rounding error of floats grows
// with the logarithm of the length. The order of the additions depends on the
// length alone: eight sums of every eighth element up to 128 of them, then those in
// pairs, and then what is left over.
func Sum[A, T Real](s []T) A {
	var a A
	if vectors && !isFloat[A]() && unsafe.Sizeof(a) == unsafe.Sizeof(T(0)) {
		return sumWrapping[A](s)
	}
	if short := sumVector[A, T](); short != nil {
		return pairwise(s, short)
	}
	return pairwise(s, sumPlain[A, T])
}

// SumRows stores Sum of each of len(out) rows of n numbers, which are stride bytes apart.
func SumRows[T Float](out []float64, p Pointer, stride, n int) {
	bytes := n * int(unsafe.Sizeof(T(0)))
	if n > 0 && n <= leaf && sumRowsVector[T](out, p, stride, n, (1+aheadBytes/bytes)*stride) {
		return
	}
	for i := range out {
		out[i] = Sum[float64](rowAt[T](p, stride, i, n))
	}
}

// aheadBytes is how far ahead sums prefetch: short rows were summed at 11 to 14 GB/s without that on
// two cores, and at 14 to 15 with it.
const aheadBytes = 2048

// sumVector returns what does the same as sumPlain, or nil.
func sumVector[A, T Real]() func([]T) A {
	if vectors {
		for _, f := range [...]any{sumFloats[float32], sumFloats[float64]} {
			if f, ok := f.(func([]T) A); ok {
				return f
			}
		}
	}
	return nil
}

func sumFloats[T Float](s []T) float64 {
	var sum [1]float64
	if len(s) > 0 {
		sumRowsVector[T](sum[:], Pointer(&s[0]), 0, len(s), aheadBytes)
	}
	return sum[0]
}

// sumWrapping adds up integers, in whatever order.
func sumWrapping[A, T Real](s []T) (sum A) {
	var sums Sums
	n := StripBytes / int(unsafe.Sizeof(T(0)))
	for len(s) >= n {
		rows := min(len(s)/n, callBytes/StripBytes)
		SumStrips[T](&sums, Pointer(&s[0]), dense[:], StripBytes, rows)
		s = s[rows*n:]
	}
	for _, x := range s {
		sum += A(x)
	}
	return sum + Total[A, T](&sums)
}

func pairwise[A, T Real](s []T, short func([]T) A) A {
	if len(s) > leaf {
		half := len(s) / 2 &^ 7
		return pairwise(s[:half], short) + pairwise(s[half:], short)
	}
	return short(s)
}

// MinMax is the least and the greatest of s, which is not empty. If one of them is
// NaN, both are. -0 is less than 0.
func MinMax[T Real](s []T) (lo, hi T) {
	if !vectors || len(s)*int(unsafe.Sizeof(lo)) < StripBytes {
		return minMaxPlain(s)
	}
	e := NoExtremes[T]()
	n := StripBytes / int(unsafe.Sizeof(T(0)))
	for len(s) >= n {
		rows := min(len(s)/n, callBytes/StripBytes)
		MinMaxStrips[T](&e, Pointer(&s[0]), dense[:], StripBytes, rows)
		s = s[rows*n:]
	}
	lo, hi = MinMaxOf[T](&e)
	for _, x := range s {
		lo, hi = min(lo, x), max(hi, x)
	}
	return lo, hi
}
