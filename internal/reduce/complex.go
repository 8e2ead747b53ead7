package reduce

import (
	"math"

	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// newComplexes returns states for complex numbers.
func newComplexes(e *engine, m *scratch, n int) states {
	s := complexes{engine: e, n: zeros[int64](m, n)}
	switch e.Op {
	case Sum, Mean, Total:
		s.x, s.lo = zeros[complex128](m, n), zeros[complex128](m, n)
	case Var, Std:
		s.x, s.lo = zeros[complex128](m, n), zeros[complex128](m, n)
		s.m2, s.m2lo = zeros[float64](m, n), zeros[float64](m, n)
	case Prod:
		s.x, s.exp = filled(m, n, 1+0i), zeros[int64](m, n)
	case Min, Max, ArgMin, ArgMax:
		s.x, s.pos = zeros[complex128](m, n), filled[int64](m, n, math.MaxInt64)
	}
	return in(m, s)
}

// complexes are states of complex numbers for any Op, one number after the other.
type complexes struct {
	engine *engine
	n      []int64      // numbers so far, or those that are not 0
	x      []complex128 // the sum, the mean, or the least or greatest
	lo     []complex128 // what the sum has lost, or what is subtracted of all
	m2     []float64    // the sum of squares
	m2lo   []float64    // what that has lost
	pos    []int64
	exp    []int64 // of the powers of two that x is times, of products
}

func isNaN(x complex128) bool { return real(x) != real(x) || imag(x) != imag(x) }

func (s *complexes) rows(at int, b *block) {
	for i := range b.m {
		p, n := add(b.p, i*b.stride), b.n
		if m := n / sumColumns &^ 7; s.isSum() && m > 0 {
			var hi, lo [2 * sumColumns]float64
			kernel.AddFloats[float64](hi[:], lo[:], p, 16*sumColumns, m, 0)
			x, low := &s.x[at+i], &s.lo[at+i]
			sum, lost := [2]float64{real(*x), imag(*x)}, [2]float64{real(*low), imag(*low)}
			for k := range hi {
				kernel.TwoSum(&sum[k&1], &lost[k&1], hi[k])
				lost[k&1] += lo[k]
			}
			*x, *low = complex(sum[0], sum[1]), complex(lost[0], lost[1])
			s.n[at+i] += int64(m * sumColumns)
			if n -= m * sumColumns; n == 0 { // else no pointer is made to what is behind the last number
				continue
			}
			p = add(p, m*sumColumns*16)
		}
		s.add(at+i, b, p, 16, n)
	}
}

// sumColumns is how many columns a row is split into to be summed up.
const sumColumns = 16

// isSum reports whether all numbers are summed up, part by part.
func (s *complexes) isSum() bool {
	op := s.engine.Op
	return (op == Sum || op == Mean || op == Total) && !s.engine.SkipNaN
}

// parts returns the parts of x, in its memory.
func parts(x []complex128) []float64 {
	return strided.Slice[float64](pointer(&x[0]), 2*len(x))
}

func (s *complexes) columns(at int, b *block) {
	if s.isSum() {
		kernel.AddFloats[float64](parts(s.x[at:at+b.n]), parts(s.lo[at:at+b.n]), b.p, b.stride, b.m, 0)
		for j := range b.n {
			s.n[at+j] += int64(b.m)
		}
		return
	}
	for j := range b.n {
		s.add(at+j, b, add(b.p, 16*j), b.stride, b.m)
	}
}

// add adds the n numbers at p, step bytes apart, to state i.
func (s *complexes) add(i int, b *block, p pointer, step, n int) {
	switch s.engine.Op {
	case Count:
		zeros := 0
		for k := range n {
			x := strided.Load[[2]uint64](p, k*step)
			any := (x[0] | x[1]) << 1 // -0 is zero
			zeros += int((any|-any)>>63 ^ 1)
		}
		s.n[i] += int64(n - zeros)
		return
	case Prod:
		for k := range n {
			if x := strided.Load[complex128](p, k*step); !s.engine.SkipNaN || !isNaN(x) {
				s.mul(i, x, 0)
			}
		}
		return
	case Min, Max, ArgMin, ArgMax:
		sign := 1.0
		if s.engine.Op == Max || s.engine.Op == ArgMax {
			sign = -1
		}
		for k := range n {
			x := strided.Load[complex128](p, k*step)
			if sign*real(x) > sign*real(s.x[i]) && imag(x) == imag(x) && s.pos[i] != math.MaxInt64 { // most, and none is NaN
				s.n[i]++
				continue
			}
			switch {
			case !s.engine.SkipNaN || !isNaN(x):
				s.n[i]++
			case s.engine.Op == ArgMin: // as in NumPy, which may choose one of these beside infinities
				x = complex(math.Inf(1), 0)
			case s.engine.Op == ArgMax:
				x = complex(math.Inf(-1), 0)
			default:
				continue
			}
			s.choose(i, x, int64(b.position(k)))
		}
		return
	}
	var re, im [256]float64
	for k := 0; k < n; {
		m := 0
		if !s.engine.SkipNaN {
			m = min(n-k, len(re))
			from := kernel.Side{P: add(p, k*step), Item: step}
			kernel.Move(1, m, kernel.Side{P: strided.Hide(pointer(&re)), Item: 8}, from, 8, 0)
			from.P = add(from.P, 8)
			kernel.Move(1, m, kernel.Side{P: strided.Hide(pointer(&im)), Item: 8}, from, 8, 0)
			k += m
			s.addParts(i, re[:m], im[:m])
			continue
		}
		for ; k < n && m < len(re); k++ {
			x := strided.Load[complex128](p, k*step)
			if isNaN(x) {
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

// addParts adds numbers, whose parts these are, to state i.
func (s *complexes) addParts(i int, re, im []float64) {
	if s.m2 == nil {
		s.addSum(i, int64(len(re)), complex(kernel.Sum(re), kernel.Sum(im)))
		return
	}
	if s.n[i] == 0 {
		s.lo[i] = complex(shiftOf(re[0]), shiftOf(im[0]))
	}
	a, b, n := real(s.lo[i]), imag(s.lo[i]), float64(len(re))
	x, y := kernel.SumDeviations(re, a, 0)/n, kernel.SumDeviations(im, b, 0)/n
	m2, lo := kernel.SumSquaredDeviations(re, a+x, 0)
	also, alsoLo := kernel.SumSquaredDeviations(im, b+y, 0)
	kernel.TwoSum(&m2, &lo, also)
	s.addMoments(i, int64(len(re)), complex(x, y), m2, lo+alsoLo)
}

func (s *complexes) addSum(i int, n int64, x complex128) {
	hi, lo := [2]float64{real(s.x[i]), imag(s.x[i])}, [2]float64{real(s.lo[i]), imag(s.lo[i])}
	kernel.TwoSum(&hi[0], &lo[0], real(x))
	kernel.TwoSum(&hi[1], &lo[1], imag(x))
	s.x[i], s.lo[i] = complex(hi[0], hi[1]), complex(lo[0], lo[1])
	s.n[i] += n
}

func (s *complexes) addMoments(i int, n int64, mean complex128, m2, lo float64) {
	have := s.n[i]
	s.n[i] += n
	if have == 0 {
		s.x[i], s.m2[i], s.m2lo[i] = mean, m2, lo
		return
	}
	share := float64(n) / float64(have+n)
	d := mean - s.x[i]
	a, b := real(d), imag(d)
	if a-a != 0 || b-b != 0 { // infinite, or NaN
		x, y := s.x[i], mean
		if a-a != 0 {
			m2 += SquareOf(real(x), real(y))
		}
		if b-b != 0 {
			m2 += SquareOf(imag(x), imag(y))
		}
		s.m2[i] += m2
		s.x[i] = complex(MeanOf(real(x), real(y), share), MeanOf(imag(x), imag(y), share))
		return
	}
	s.x[i] += complex(float64(a*share), float64(b*share))
	kernel.TwoSum(&s.m2[i], &s.m2lo[i], m2)
	kernel.TwoSum(&s.m2[i], &s.m2lo[i], float64((float64(a*a)+float64(b*b))*(float64(have)*share)))
	s.m2lo[i] += lo
}

// choose makes x at position p state i if it is less, or greater: by the real part, and then
// by the imaginary one. One that has a NaN comes before all, and of these the first.
func (s *complexes) choose(i int, x complex128, p int64) {
	y := s.x[i]
	a, b := [2]float64{real(x), imag(x)}, [2]float64{real(y), imag(y)}
	if s.engine.Op == Max || s.engine.Op == ArgMax {
		a, b = b, a
	}
	wins := a[0] < b[0] || a[0] == b[0] && a[1] < b[1]
	switch {
	case s.pos[i] == math.MaxInt64:
		wins = true
	case isNaN(y):
		wins = isNaN(x) && p < s.pos[i]
	case isNaN(x):
		wins = true
	case x == y:
		wins = p < s.pos[i]
	}
	if wins {
		s.x[i], s.pos[i] = x, p
	}
}

func (s *complexes) merge(at int, o states) {
	from := o.(*complexes)
	for k, n := range from.n {
		i := at + k
		switch {
		case s.exp != nil:
			s.mul(i, from.x[k], from.exp[k])
		case n == 0 && (s.pos == nil || from.pos[k] == math.MaxInt64):
		case s.m2 != nil && s.n[i] == 0:
			s.n[i], s.x[i], s.lo[i], s.m2[i], s.m2lo[i] = n, from.x[k], from.lo[k], from.m2[k], from.m2lo[k]
		case s.m2 != nil:
			s.addMoments(i, n, (from.lo[k]-s.lo[i])+from.x[k], from.m2[k], from.m2lo[k])
		case s.lo != nil:
			s.addSum(i, n, from.x[k])
			s.lo[i] += from.lo[k]
		default:
			if s.pos != nil {
				s.choose(i, from.x[k], from.pos[k])
			}
			s.n[i] += n
		}
	}
}

func (s *complexes) results(e *engine) ([]byte, error) {
	switch e.Op {
	case Count:
		return strided.Bytes(s.n), nil
	case ArgMin, ArgMax, Min, Max:
		for i, n := range s.n {
			switch {
			case n > 0:
			case e.Op.isArg():
				return nil, ErrAllNaN
			default:
				s.x[i] = complex(math.NaN(), math.NaN())
			}
		}
		if e.Op.isArg() {
			return strided.Bytes(s.pos), nil
		}
	case Prod:
		for i, x := range s.x {
			s.x[i] = complex(scaled(real(x), s.exp[i]), scaled(imag(x), s.exp[i]))
		}
	case Sum, Mean, Total:
		for i, lo := range s.lo {
			hi := []float64{real(s.x[i]), imag(s.x[i])}
			joined(hi, []float64{real(lo), imag(lo)})
			s.x[i] = complex(hi[0], hi[1])
			if e.Op == Mean {
				s.x[i] = divided(s.x[i], float64(s.n[i]))
			}
		}
	default:
		for i, n := range s.n {
			s.m2[i] = e.variance(float64(n), s.m2[i], s.m2lo[i])
		}
		return strided.Bytes(s.m2), nil
	}
	return strided.Bytes(s.x), nil
}

// divided returns x / n as NumPy does, which divides by a complex number: infinity in one part makes a NaN of the
// other.
func divided(x complex128, n float64) complex128 {
	return complex((real(x)+float64(imag(x)*0))/n, (imag(x)-float64(real(x)*0))/n)
}
