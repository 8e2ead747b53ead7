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

// sumColumns is the number of columns into which addRows arranges the numbers of a row, to add them up column by
// column.
const sumColumns = 16

// addsFloats reports whether s adds up all numbers, so that it can add real and imaginary parts as columns of floats.
func (s *complexes) addsFloats() bool { return s.sums.hi != nil && !s.engine.SkipNaN }

func (s *complexes) addRows(at int, b *block) {
	if s.pos != nil {
		for i := range b.m { // as a column
			s.addExtremes(at+i, &block{p: add(b.p, i*b.stride), m: b.n, n: 1, stride: 16, pos: b.pos, digits: b.digits})
		}
		return
	}
	for i := range b.m {
		p, n := add(b.p, i*b.stride), b.n
		if m := n / sumColumns &^ 7; s.addsFloats() && m > 0 {
			var buf [4*sumColumns + 7]float64
			aligned := buf[-strided.Address(pointer(&buf))/8%8:] // aligned to 64 bytes, which saves a tenth of the time
			hi, lo := aligned[:2*sumColumns], aligned[2*sumColumns:4*sumColumns]
			kernel.AddFloats[float64](hi, lo, p, 16*sumColumns, m, 0)
			sum, lost := s.sums.hi[2*(at+i):][:2], s.sums.lo[2*(at+i):][:2]
			for k := range hi {
				kernel.TwoSum(&sum[k&1], &lost[k&1], hi[k])
				lost[k&1] += lo[k]
			}
			s.n[at+i] += int64(m * sumColumns)
			if n -= m * sumColumns; n == 0 { // p must not point to the end of the memory
				continue
			}
			p = add(p, m*sumColumns*16)
		}
		s.add(at+i, p, 16, n)
	}
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
		s.sums.addColumns(2*at, &parts)
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
