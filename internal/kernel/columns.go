package kernel

import "unsafe"

// The loops below reduce a block down its columns: m rows of as many numbers as there are
// accumulators, stride bytes apart, the first at p. Eight rows are taken at a time, so that
// the accumulators are read and stored once for eight numbers.

// Integer is a type of integers.
type Integer interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint
}

// Float is a type of floats.
type Float interface{ float32 | float64 }

func rowAt[T any](p Pointer, stride, i, n int) []T {
	return unsafe.Slice((*T)(Add(p, i*stride)), n)
}

// AddIntegers adds the columns to sum, modulo 2 to the power of its bits, which are more than those of the columns or 64.
func AddIntegers[T Integer, A int32 | int64](sum []A, p Pointer, stride, m, swap int) {
	done := addColumnsVector[T](sum, p, stride, m, swap)
	if done == len(sum) || m == 0 {
		return // and no pointer is made to what is behind the last number
	}
	sum, p = sum[done:], Add(p, done*int(unsafe.Sizeof(T(0))))
	n, i := len(sum), 0
	for ; i+8 <= m; i += 8 {
		a, b, c, d := rowAt[T](p, stride, i, n), rowAt[T](p, stride, i+1, n), rowAt[T](p, stride, i+2, n), rowAt[T](p, stride, i+3, n)
		e, f, g, h := rowAt[T](p, stride, i+4, n), rowAt[T](p, stride, i+5, n), rowAt[T](p, stride, i+6, n), rowAt[T](p, stride, i+7, n)
		for j := range sum {
			sum[j] += ((A(a[j]) + A(b[j])) + (A(c[j]) + A(d[j]))) + ((A(e[j]) + A(f[j])) + (A(g[j]) + A(h[j])))
		}
	}
	for ; i+2 <= m; i += 2 {
		a, b := rowAt[T](p, stride, i, n), rowAt[T](p, stride, i+1, n)
		for j := range sum {
			sum[j] += A(a[j]) + A(b[j])
		}
	}
	for ; i < m; i++ {
		a := rowAt[T](p, stride, i, n)
		for j := range sum {
			sum[j] += A(a[j])
		}
	}
}

// AddFloats adds the columns to sums of two parts: what hi loses by rounding is added to lo.
func AddFloats[T Float](hi, lo []float64, p Pointer, stride, m, swap int) {
	n, i := len(hi), 0
	lo = lo[:n]
	for ; i+8 <= m; i += 8 {
		a, b, c, d := rowAt[T](p, stride, i, n), rowAt[T](p, stride, i+1, n), rowAt[T](p, stride, i+2, n), rowAt[T](p, stride, i+3, n)
		e, f, g, h := rowAt[T](p, stride, i+4, n), rowAt[T](p, stride, i+5, n), rowAt[T](p, stride, i+6, n), rowAt[T](p, stride, i+7, n)
		for j := addRowsVector[T](hi, lo, Add(p, i*stride), stride, swap); j < n; j++ {
			x := hi[j]
			y := ((float64(a[j]) + float64(b[j])) + (float64(c[j]) + float64(d[j]))) + ((float64(e[j]) + float64(f[j])) + (float64(g[j]) + float64(h[j])))
			sum := x + y
			back := sum - x
			lo[j] += (x - (sum - back)) + (y - back)
			hi[j] = sum
		}
	}
	for ; i+2 <= m; i += 2 {
		a, b := rowAt[T](p, stride, i, n), rowAt[T](p, stride, i+1, n)
		for j, x := range hi {
			y := float64(a[j]) + float64(b[j])
			sum := x + y
			back := sum - x
			lo[j] += (x - (sum - back)) + (y - back)
			hi[j] = sum
		}
	}
	for ; i < m; i++ {
		a := rowAt[T](p, stride, i, n)
		for j, x := range hi {
			y := float64(a[j])
			sum := x + y
			back := sum - x
			lo[j] += (x - (sum - back)) + (y - back)
			hi[j] = sum
		}
	}
}

// ExtremeBytes is how many bytes a row has at least for LeastOf and GreatestOf to use vectors. Rows that follow one another
// may be shorter.
const ExtremeBytes = 128

// LeastOf makes the numbers of least no greater than those of the columns, and NaN where one
// of these is.
func LeastOf[T Real](least []T, p Pointer, stride, m, swap int) {
	if !extremesVector(least, p, stride, m, swap, false) {
		leastPlain(least, p, stride, m)
	}
}

func leastPlain[T Real](least []T, p Pointer, stride, m int) {
	n, i := len(least), 0
	for ; i+4 <= m; i += 4 {
		a, b, c, d := rowAt[T](p, stride, i, n), rowAt[T](p, stride, i+1, n), rowAt[T](p, stride, i+2, n), rowAt[T](p, stride, i+3, n)
		for j := range least {
			least[j] = min(least[j], min(a[j], b[j]), min(c[j], d[j]))
		}
	}
	for ; i < m; i++ {
		a := rowAt[T](p, stride, i, n)
		for j := range least {
			least[j] = min(least[j], a[j])
		}
	}
}

// GreatestOf is LeastOf, the other way round.
func GreatestOf[T Real](greatest []T, p Pointer, stride, m, swap int) {
	if !extremesVector(greatest, p, stride, m, swap, true) {
		greatestPlain(greatest, p, stride, m)
	}
}

func greatestPlain[T Real](greatest []T, p Pointer, stride, m int) {
	n, i := len(greatest), 0
	for ; i+4 <= m; i += 4 {
		a, b, c, d := rowAt[T](p, stride, i, n), rowAt[T](p, stride, i+1, n), rowAt[T](p, stride, i+2, n), rowAt[T](p, stride, i+3, n)
		for j := range greatest {
			greatest[j] = max(greatest[j], max(a[j], b[j]), max(c[j], d[j]))
		}
	}
	for ; i < m; i++ {
		a := rowAt[T](p, stride, i, n)
		for j := range greatest {
			greatest[j] = max(greatest[j], a[j])
		}
	}
}

// CountNonzero adds to count how many numbers of each column are not 0.
func CountNonzero[T Real](count []int64, p Pointer, stride, m int) {
	for i := range m {
		for j, x := range rowAt[T](p, stride, i, len(count)) {
			count[j] += int64(oneIf(x != 0))
		}
	}
}

// Nonzero returns how many numbers of s are not 0.
func Nonzero[T Real](s []T) (n int) {
	a, done := nonzeroVector(s)
	s = s[done:]
	var b, c, d int
	for len(s) >= 4 {
		q := s[:4:4]
		a += oneIf(q[0] != 0)
		b += oneIf(q[1] != 0)
		c += oneIf(q[2] != 0)
		d += oneIf(q[3] != 0)
		s = s[4:]
	}
	for _, x := range s {
		a += oneIf(x != 0)
	}
	return a + b + c + d
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// SubtractedSums adds to sum the columns less the number in from.
func SubtractedSums(sum, from []float64, p Pointer, stride, m, swap int) {
	n := len(sum)
	from = from[:n]
	done := subtractedVector(sum, nil, from, p, stride, m, swap)
	for i := 0; i+4 <= m && done < n; i += 4 {
		a, b, c, d := rowAt[float64](p, stride, i, n), rowAt[float64](p, stride, i+1, n), rowAt[float64](p, stride, i+2, n), rowAt[float64](p, stride, i+3, n)
		for j := done; j < n; j++ {
			x := from[j]
			sum[j] += ((a[j] - x) + (b[j] - x)) + ((c[j] - x) + (d[j] - x))
		}
	}
	for i := m &^ 3; i < m; i++ {
		a := rowAt[float64](p, stride, i, n)
		for j, x := range from {
			sum[j] += a[j] - x
		}
	}
}

// SubtractedSquares adds to sum, and to lo what that loses by rounding, the squares of the
// columns less the number in from.
func SubtractedSquares(sum, lo, from []float64, p Pointer, stride, m, swap int) {
	n := len(sum)
	from, lo = from[:n], lo[:n]
	done := subtractedVector(sum, lo, from, p, stride, m, swap)
	for i := 0; i+4 <= m && done < n; i += 4 {
		a, b, c, d := rowAt[float64](p, stride, i, n), rowAt[float64](p, stride, i+1, n), rowAt[float64](p, stride, i+2, n), rowAt[float64](p, stride, i+3, n)
		for j := done; j < n; j++ {
			x := from[j]
			e, f, g, h := a[j]-x, b[j]-x, c[j]-x, d[j]-x
			Twofold(&sum[j], &lo[j], (float64(e*e)+float64(f*f))+(float64(g*g)+float64(h*h)))
		}
	}
	for i := m &^ 3; i < m; i++ {
		a := rowAt[float64](p, stride, i, n)
		for j, x := range from {
			e := a[j] - x
			Twofold(&sum[j], &lo[j], float64(e*e))
		}
	}
}

// Twofold adds x to hi, and what is lost by rounding to lo.
func Twofold(hi, lo *float64, x float64) {
	sum, lost := twofold(*hi, x)
	*lo += lost
	*hi = sum
}

// twofold returns the sum of x and y, and what is lost by rounding (Knuth, TAOCP 4.2.2, theorem B).
func twofold(x, y float64) (sum, lost float64) {
	sum = x + y
	back := sum - x
	return sum, (x - (sum - back)) + (y - back)
}

// rowColumns is how many columns a row is split into, to go through them as a block: number i is
// in column i%rowColumns.
const rowColumns = 8

// SubtractedSum returns the sum of s less from each.
func SubtractedSum(s []float64, from float64, swap int) float64 {
	var sum, lo [rowColumns]float64
	for i, x := range s[subtractedRow(&sum, &lo, s, from, swap, false):] {
		sum[i%rowColumns] += Native(x, swap) - from
	}
	return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]))
}

// SubtractedSquare returns the sum of the squares of s less from each, and what that loses by
// rounding.
func SubtractedSquare(s []float64, from float64, swap int) (all, lo float64) {
	var sum, lost [rowColumns]float64
	for i, x := range s[subtractedRow(&sum, &lost, s, from, swap, true):] {
		e := Native(x, swap) - from
		Twofold(&sum[i%rowColumns], &lost[i%rowColumns], float64(e*e))
	}
	for i, x := range sum {
		var low float64
		all, low = twofold(all, x)
		lo += low
		lo += lost[i]
	}
	return all, lo
}

// subtractedRow adds the first numbers of s, as SubtractedSums does with a block, or if squares is true SubtractedSquares,
// and returns how many.
func subtractedRow(sum, lo *[rowColumns]float64, s []float64, from float64, swap int, squares bool) (done int) {
	m := len(s) / rowColumns &^ 3
	p := Pointer(unsafe.SliceData(s))
	if m == 0 || subtractedRowVector(sum, lo, from, p, m, swap, squares) {
		return m * rowColumns
	}
	of := [rowColumns]float64{from, from, from, from, from, from, from, from}
	if squares {
		SubtractedSquares(sum[:], lo[:], of[:], p, 8*rowColumns, m, swap)
	} else {
		SubtractedSums(sum[:], of[:], p, 8*rowColumns, m, swap)
	}
	return m * rowColumns
}
