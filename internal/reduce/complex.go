package reduce

import (
	"math"

	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// newComplexes returns n accumulators of complex numbers.
func newComplexes(e *engine, m *scratch, n int) accumulators {
	s := complexes{engine: e, n: zeros[int64](m, n)}
	switch e.Op {
	case Sum, Mean, Total:
		s.sums = floatSums[float64]{zeros[float64](m, 2*n), zeros[float64](m, 2*n)}
	case Var, Std:
		s.parts = emptyMoments(m, 2*n)
	case Prod:
		s.x, s.exp = filled(m, n, 1+0i), zeros[int64](m, n)
	default:
		s.x, s.pos = zeros[complex128](m, n), filled[int64](m, n, math.MaxInt64)
	}
	return reuse(m, s)
}

// complexes are accumulators of complex numbers for all operations except Count.
type complexes struct {
	engine *engine
	n      []int64            // number of elements, without NaN that were skipped
	sums   floatSums[float64] // for sums: the real and the imaginary part of each sum
	parts  moments            // for variances: of the real and the imaginary part of each result
	x      []complex128       // the product, or the least or greatest number
	pos    []int64            // for extremes: the position of x; math.MaxInt64 before the first number
	exp    []int64            // for products: the product is x * 2**exp
}

func isNaN(x complex128) bool { return real(x) != real(x) || imag(x) != imag(x) }

func (s *complexes) addRows(at int, b *block) {
	if s.pos != nil {
		for i := range b.m { // as a column
			s.addExtremes(at+i, &block{p: add(b.p, i*b.stride), m: b.n, n: 1, stride: 16, pos: b.pos, digits: b.digits})
		}
		return
	}
	for i := range b.m {
		p := add(b.p, i*b.stride)
		if s.sums.hi == nil || s.engine.SkipNaN {
			s.add(at+i, p, 16, b.n)
			continue
		}
		s.addSums(at+i, 1, p, s.engine.width, b.n)
		s.n[at+i] += int64(b.n)
	}
}

// addSums adds m rows of n numbers, stride bytes apart, to the sums of n accumulators.
func (s *complexes) addSums(at, n int, p pointer, stride, m int) {
	hi, lo := s.sums.hi[2*at:][:2*n], s.sums.lo[2*at:][:2*n]
	if s.engine.width == 8 { // complex64
		addFloats[float32](hi, lo, p, stride, m)
	} else {
		addFloats[float64](hi, lo, p, stride, m)
	}
}

// foldedColumns is the maximum number of columns of the rows that addFloats folds into one.
const foldedColumns = 32

// addFloats is kernel.AddFloats for floats in native order. If rows are consecutive and short, it adds most of them
// several at a time, as if they were one row, and then adds the sums of equal columns.
func addFloats[T kernel.Float](hi, lo []float64, p pointer, stride, m int) {
	n := len(hi)
	rows := foldedColumns / n
	if folded := m / max(1, rows) &^ 7; rows > 1 && folded > 0 && stride == n*strided.Sizeof[T]() {
		var buf [2*foldedColumns + 7]float64
		aligned := buf[-strided.Address(pointer(&buf))/8%8:] // aligned to 64 bytes, which saves a tenth of the time
		h, l := aligned[:rows*n], aligned[foldedColumns:][:rows*n]
		kernel.AddFloats[T](h, l, p, rows*stride, folded, 0)
		for k, x := range h {
			kernel.TwoSum(&hi[k%n], &lo[k%n], x)
			lo[k%n] += l[k]
		}
		if m -= rows * folded; m == 0 { // p must not point to the end of the memory
			return
		}
		p = add(p, rows*folded*stride)
	}
	kernel.AddFloats[T](hi, lo, p, stride, m, 0)
}

func (s *complexes) addColumns(at int, b *block) {
	parts := block{p: b.p, m: b.m, n: 2 * b.n, stride: b.stride} // real and imaginary parts
	switch {
	case s.pos != nil:
		s.addExtremes(at, b)
		return
	case s.exp != nil || s.engine.SkipNaN:
		for j := range b.n {
			s.add(at+j, add(b.p, 16*j), b.stride, b.m)
		}
		return
	case s.sums.hi != nil:
		s.addSums(at, b.n, b.p, b.stride, b.m)
	default:
		s.parts.addColumns(2*at, &parts)
	}
	for j := range b.n {
		s.n[at+j] += int64(b.m)
	}
}

// add adds the n numbers at p, step bytes apart, to accumulator i.
func (s *complexes) add(i int, p pointer, step, n int) {
	if s.exp != nil {
		for k := range n {
			if x := strided.Load[complex128](p, k*step); !s.engine.SkipNaN || !isNaN(x) {
				s.mul(i, x, 0)
			}
		}
		return
	}
	var re, im [256]float64
	for k := 0; k < n; {
		m := 0
		for ; k < n && m < len(re); k++ {
			x := strided.Load[complex128](p, k*step)
			if s.engine.SkipNaN && isNaN(x) {
				continue
			}
			re[m], im[m] = real(x), imag(x)
			m++
		}
		if m > 0 {
			s.addParts(i, re[:m], im[:m])
		}
	}
}

// addExtremes adds column j of b to accumulator at+j. It finds the least or greatest real part of each column first.
// Then it looks only at the rows with that real part, and skips the column if the accumulator is better.
func (s *complexes) addExtremes(at int, b *block) {
	var strip [positionColumns]float64
	op, sign, best := s.engine.Op, 1.0, kernel.LeastOf[float64]
	if op == Max || op == ArgMax {
		sign, best = -1, kernel.GreatestOf[float64]
	}
	for lo := 0; lo < b.n; lo += len(strip) / 2 {
		parts := strip[:2*min(len(strip)/2, b.n-lo)]
		for k := range parts {
			parts[k] = sign * math.Inf(1)
		}
		best(parts, add(b.p, 16*lo), b.stride, b.m, 0)
		for j := 0; j < len(parts)/2; j++ {
			i, p, re := at+lo+j, add(b.p, 16*(lo+j)), parts[2*j]
			if re != re || parts[2*j+1] != parts[2*j+1] {
				s.addExtremesWithNaN(i, p, b)
				continue
			}
			s.n[i] += int64(b.m)
			if s.pos[i] != math.MaxInt64 && sign*re > sign*real(s.x[i]) {
				continue
			}
			x, row := complex(re, sign*math.Inf(1)), -1
			for k := range b.m {
				if strided.Load[float64](p, k*b.stride) == re {
					if y := strided.Load[complex128](p, k*b.stride); row < 0 || sign*imag(y) < sign*imag(x) {
						x, row = y, k
					}
				}
			}
			s.choose(i, x, int64(b.position(row)))
		}
	}
}

// addExtremesWithNaN adds the first number of each row at p to accumulator i. b describes the rows.
func (s *complexes) addExtremesWithNaN(i int, p pointer, b *block) {
	for k := range b.m {
		x := strided.Load[complex128](p, k*b.stride)
		if s.engine.SkipNaN && isNaN(x) {
			if !s.engine.Op.isArg() {
				continue
			}
			x = complex(math.Inf(1), 0) // as in NumPy, an infinity replaces NaN
			if s.engine.Op == ArgMax {
				x = -x
			}
		} else {
			s.n[i]++
		}
		s.choose(i, x, int64(b.position(k)))
	}
}

// addParts adds numbers, given by their real and imaginary parts, to accumulator i.
func (s *complexes) addParts(i int, re, im []float64) {
	s.n[i] += int64(len(re))
	if s.sums.hi != nil {
		s.sums.add(2*i, kernel.Sum(re))
		s.sums.add(2*i+1, kernel.Sum(im))
		return
	}
	s.parts.row(2*i, re, 0, false)
	s.parts.row(2*i+1, im, 0, false)
}

// choose replaces accumulator i by x at position p if x is less than the accumulator, or greater for Max and ArgMax. It
// compares the real parts first, and the imaginary parts if the real parts are equal. A number with a NaN replaces any
// number without a NaN. Among equal numbers, and among numbers with a NaN, the one at the lowest position wins.
func (s *complexes) choose(i int, x complex128, p int64) {
	y := s.x[i]
	var wins bool
	switch op := s.engine.Op; {
	case s.pos[i] == math.MaxInt64:
		wins = true
	case isNaN(x) != isNaN(y):
		wins = isNaN(x)
	case isNaN(x) || x == y:
		wins = p < s.pos[i]
	case op == Max || op == ArgMax:
		wins = real(x) > real(y) || real(x) == real(y) && imag(x) > imag(y)
	default:
		wins = real(x) < real(y) || real(x) == real(y) && imag(x) < imag(y)
	}
	if wins {
		s.x[i], s.pos[i] = x, p
	}
}

func (s *complexes) merge(at int, o accumulators) {
	from := o.(*complexes)
	if s.sums.hi != nil {
		s.sums.merge(2*at, &from.sums)
	}
	if s.parts.n != nil {
		s.parts.merge(2*at, &from.parts)
	}
	for k, n := range from.n {
		i := at + k
		switch {
		case s.exp != nil:
			s.mul(i, from.x[k], from.exp[k])
		case s.pos != nil && from.pos[k] != math.MaxInt64:
			s.choose(i, from.x[k], from.pos[k])
		}
		s.n[i] += n
	}
}

func (s *complexes) results(e *engine, _ []int64) ([]byte, error) {
	switch e.Op {
	case ArgMin, ArgMax, Min, Max:
		for i, n := range s.n {
			if n == 0 && e.Op.isArg() {
				return nil, ErrAllNaN
			} else if n == 0 {
				s.x[i] = complex(math.NaN(), math.NaN())
			}
		}
		if e.Op.isArg() {
			return strided.Bytes(s.pos), nil
		}
	case Prod:
		for i, x := range s.x {
			s.x[i] = complex(scaleByPower(real(x), s.exp[i]), scaleByPower(imag(x), s.exp[i]))
		}
	case Var, Std:
		m2, lo := s.parts.m2, s.parts.lo
		for i, n := range s.n {
			sum, lost := m2[2*i], lo[2*i]+lo[2*i+1]
			kernel.TwoSum(&sum, &lost, m2[2*i+1])
			m2[i] = e.variance(float64(n), sum, lost)
		}
		return strided.Bytes(m2[:len(s.n)]), nil
	default:
		s.x = strided.Slice[complex128](pointer(&addLow(s.sums.hi, s.sums.lo)[0]), len(s.n))
		for i, n := range s.n {
			if e.Op == Mean {
				s.x[i] = divideByReal(s.x[i], float64(n))
			}
		}
	}
	return strided.Bytes(s.x), nil
}

// divideByReal returns x / n as NumPy computes it. NumPy divides by a complex number, so if one part of x is
// infinite, the other part of the result is NaN.
func divideByReal(x complex128, n float64) complex128 {
	return complex((real(x)+float64(imag(x)*0))/n, (imag(x)-float64(real(x)*0))/n)
}
