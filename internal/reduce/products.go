package reduce

import (
	"math"
	"slices"

	"github.com/ndmap/ndmap/internal/strided"
)

// integerProducts are accumulators of products of integers, in 64 bits.
type integerProducts[T integer] struct{ prod []int64 }

func (s *integerProducts[T]) addRows(at int, b *block) {
	for i := range b.m {
		p, q := s.prod[at+i], int64(1)
		r := row[T](b, i)
		for len(r) > 1 { // two independent products, so that multiplications overlap
			p, q, r = p*int64(r[0]), q*int64(r[1]), r[2:]
		}
		for _, x := range r {
			p *= int64(x)
		}
		s.prod[at+i] = p * q
	}
}

func (s *integerProducts[T]) addColumns(at int, b *block) {
	prod := s.prod[at : at+b.n]
	for i := range b.m {
		for j, x := range row[T](b, i)[:len(prod)] {
			prod[j] *= int64(x)
		}
	}
}

func (s *integerProducts[T]) merge(at int, o accumulators) {
	for i, x := range o.(*integerProducts[T]).prod {
		s.prod[at+i] *= x
	}
}

// settled returns true if all products are 0. For example, the product of 64 even numbers is 0 in 64 bits.
func (s *integerProducts[T]) settled(at, n, pos int) bool { return allEqual(s.prod[at:at+n], 0) }

func (s *integerProducts[T]) results(e *engine, _ []int64) ([]byte, error) {
	return strided.Bytes(s.prod), nil
}

// products are accumulators of products of floats: x * 2**exp. Intermediate products may be larger or smaller than any
// float.
type products struct {
	x   []float64 // between 1/2 and 2, as splitExponent returns it
	exp []int64
}

// maxFactors is the maximum number of factors between 1/2 and 2 that are multiplied before splitExponent is called
// again. Their product is finite and not 0.
const maxFactors = 1000

// splitExponent returns a number f between 1/2 and 2 and an exponent such that x is f * 2**exp. If x is 0, infinite,
// or NaN, f is x.
func splitExponent(x float64) (f float64, exp int64) {
	b := math.Float64bits(x)
	if exp := b >> 52 & 0x7ff; exp-1 < 0x7fe {
		return math.Float64frombits(b&^(0x7ff<<52) | 1023<<52), int64(exp) - 1023
	}
	f, e := math.Frexp(x)
	return f, int64(e)
}

func (s *products) addRows(at int, b *block) {
	for i := range b.m {
		for r := range slices.Chunk(row[float64](b, i), maxFactors) {
			s.row(at+i, r)
		}
	}
}

func (s *products) row(i int, r []float64) {
	x, y, exp := 1.0, 1.0, int64(0) // two independent products, so that multiplications overlap
	for len(r) > 1 {
		f, e := splitExponent(r[0])
		g, d := splitExponent(r[1])
		x, y, exp, r = x*f, y*g, exp+e+d, r[2:]
	}
	for _, z := range r {
		f, e := splitExponent(z)
		x, exp = x*f, exp+e
	}
	s.mul(i, x, exp)
	s.mul(i, y, 0)
}

// mul multiplies accumulator i by x * 2**exp.
func (s *products) mul(i int, x float64, exp int64) {
	f, e := splitExponent(x)
	f, d := splitExponent(s.x[i] * f)
	s.x[i], s.exp[i] = f, s.exp[i]+e+d+exp
}

func (s *products) addColumns(at int, b *block) {
	xs, exps := s.x[at:at+b.n], s.exp[at:at+b.n]
	for i := range b.m {
		for j, x := range row[float64](b, i)[:len(xs)] {
			f, e := splitExponent(x)
			xs[j] *= f
			exps[j] += e
		}
		if i%maxFactors == maxFactors-1 || i == b.m-1 {
			for j, x := range xs {
				f, e := splitExponent(x)
				xs[j] = f
				exps[j] += e
			}
		}
	}
}

func (s *products) merge(at int, o accumulators) {
	from := o.(*products)
	for i, x := range from.x {
		s.mul(at+i, x, from.exp[i])
	}
}

func (s *products) results(e *engine, _ []int64) ([]byte, error) {
	for i, x := range s.x {
		s.x[i] = scaleByPower(x, s.exp[i])
	}
	return strided.Bytes(s.x), nil
}

// scaleByPower returns x * 2**exp.
func scaleByPower(x float64, exp int64) float64 {
	return math.Ldexp(x, int(max(-1<<15, min(exp, 1<<15))))
}

// mul multiplies accumulator i by x * 2**exp. Like NumPy, and unlike C, it has no special rule for numbers with an
// infinite part.
func (s *complexes) mul(i int, x complex128, exp int64) {
	a, d := splitComplexExponent(x)
	b, e := splitComplexExponent(s.x[i])
	s.x[i] = complex(float64(real(a)*real(b))-float64(imag(a)*imag(b)), float64(real(a)*imag(b))+float64(imag(a)*real(b)))
	s.exp[i] += d + e + exp
}

// splitComplexExponent returns a complex number and an exponent such that x is y * 2**exp. The parts of y are neither
// so large nor so small that a product of two such numbers overflows or vanishes.
func splitComplexExponent(x complex128) (y complex128, exp int64) {
	const most = 1 << 200
	size := max(math.Abs(real(x)), math.Abs(imag(x)))
	if 1.0/most < size && size < most || size == 0 || size-size != 0 {
		return x, 0
	}
	_, e := math.Frexp(size)
	return complex(math.Ldexp(real(x), -e), math.Ldexp(imag(x), -e)), int64(e)
}
