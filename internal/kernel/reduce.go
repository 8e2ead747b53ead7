package kernel

// Real is a type of real numbers. Types that are defined from them are left out: a
// dtype.Float16 is a uint16 that must not be summed as one.
type Real interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint | float32 | float64
}

// leaf is how many elements Sum adds up before it goes on pairwise: the same as
// NumPy's (PW_BLOCKSIZE in numpy/core/src/umath/loops_utils.h.src).
const leaf = 128

// Sum adds up s in the type A, pairwise, so that the rounding error of floats grows
// with the logarithm of the length. The order of the additions depends on the
// length alone.
func Sum[A, T Real](s []T) A {
	if len(s) > leaf {
		half := len(s) / 2 &^ 7
		return Sum[A](s[:half]) + Sum[A](s[half:])
	}
	// Eight sums at a time: the processor adds while it still adds.
	var a0, a1, a2, a3, a4, a5, a6, a7 A
	for len(s) >= 8 {
		b := s[:8:8]
		a0 += A(b[0])
		a1 += A(b[1])
		a2 += A(b[2])
		a3 += A(b[3])
		a4 += A(b[4])
		a5 += A(b[5])
		a6 += A(b[6])
		a7 += A(b[7])
		s = s[8:]
	}
	sum := ((a0 + a1) + (a2 + a3)) + ((a4 + a5) + (a6 + a7))
	for _, x := range s {
		sum += A(x)
	}
	return sum
}

// MinMax is the least and the greatest of s, which is not empty. If one of them is
// NaN, both are.
func MinMax[T Real](s []T) (lo, hi T) {
	lo, hi = s[0], s[0]
	l1, h1 := lo, hi
	for len(s) >= 2 {
		x, y := s[0], s[1]
		lo, hi = min(lo, x), max(hi, x)
		l1, h1 = min(l1, y), max(h1, y)
		s = s[2:]
	}
	for _, x := range s {
		lo, hi = min(lo, x), max(hi, x)
	}
	return min(lo, l1), max(hi, h1)
}
