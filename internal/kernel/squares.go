package kernel

// SumSquares is the sum of s and that of its squares. There are less than 2^31 numbers.
func SumSquares[T int16 | uint16](s []T) (sum int64, squares uint64) {
	flip, zero := uint64(0), int64(0)
	if x := T(0); x-1 > 0 {
		flip, zero = signs[T](), 1<<15
	}
	if loop := active.squares[numOf[T]()]; loop != nil {
		all, a, b := len(s), int64(0), uint64(0) // a and b are in memory
		for k := 1; k > 0 && len(s)*2 >= LineBytes; s = s[k:] {
			k = loop(Hide(Pointer(&a)), Hide(Pointer(&b)), Hide(Pointer(&s[0])), min(len(s), callBytes/2), flip)
		}
		// (x + zero)² is x² + 2 zero x + zero².
		n := int64(all - len(s))
		sum, squares = a+n*zero, b+uint64(2*zero*a+n*zero*zero)
	}
	for _, x := range s {
		sum += int64(x)
		squares += uint64(int64(x) * int64(x))
	}
	return sum, squares
}

// SumAndSquares is SumSquares of integers of one byte or two.
func SumAndSquares[T int8 | uint8 | int16 | uint16](s []T) (sum int64, squares uint64) {
	switch s := any(s).(type) {
	case []int16:
		return SumSquares(s)
	case []uint16:
		return SumSquares(s)
	}
	var more int64
	for len(s) >= 2 {
		x, y := int64(s[0]), int64(s[1])
		sum += x
		more += y
		squares += uint64(x*x) + uint64(y*y)
		s = s[2:]
	}
	for _, x := range s {
		sum += int64(x)
		squares += uint64(int64(x) * int64(x))
	}
	return sum + more, squares
}

// AddSquares adds the columns to sum, and their squares to squares.
func AddSquares[T int8 | uint8 | int16 | uint16](sum []int64, squares []uint64, p Pointer, stride, m int) {
	n, i := len(sum), 0
	squares = squares[:n]
	for ; i+4 <= m; i += 4 {
		a, b, c, d := rowAt[T](p, stride, i, n), rowAt[T](p, stride, i+1, n), rowAt[T](p, stride, i+2, n), rowAt[T](p, stride,
			i+3, n)
		for j := range sum {
			w, x, y, z := int64(a[j]), int64(b[j]), int64(c[j]), int64(d[j])
			sum[j] += (w + x) + (y + z)
			squares[j] += uint64((w*w + x*x) + (y*y + z*z))
		}
	}
	for ; i < m; i++ {
		a := rowAt[T](p, stride, i, n)
		for j := range sum {
			x := int64(a[j])
			sum[j] += x
			squares[j] += uint64(x * x)
		}
	}
}
