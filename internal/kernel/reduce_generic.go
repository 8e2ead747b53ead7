package kernel

// sumPlain adds up s with eight sums at a time: the processor adds while it still adds.
// Then come those that are left of a multiple of 8.
func sumPlain[A, T Real](s []T) A {
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

func minMaxPlain[T Real](s []T) (lo, hi T) {
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
