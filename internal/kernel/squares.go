package kernel

// SumAndSquares returns the sum of s and the sum of its squares. s has fewer than 2³¹ numbers.
func SumAndSquares[T int8 | uint8 | int16 | uint16](s []T) (sum int64, squares uint64) {
	if loop := active.squares[numOf[T]()]; loop != nil {
		flip := signFlip[T]()
		zero := int64(flip & (1 << 15))          // subtracted from each number by flip
		all, a, b := len(s), int64(0), uint64(0) // the loop takes the addresses of a and b
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

// AddSquares adds the sum of each column to the corresponding element of sum, and the sum of its squares to the
// corresponding element of squares.
func AddSquares[T int8 | uint8 | int16 | uint16](sum []int64, squares []uint64, p Pointer, stride, m int) {
	n, i := len(sum), 0
	squares = squares[:n]
	for ; i+4 <= m; i += 4 {
		a, b, c, d := fourRows[T](Add(p, i*stride), stride, n)
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
