package reduce

import (
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// integerSums are sums of integers, in 64 bits.
type integerSums[T integer] struct{ sum []int64 }

func (s *integerSums[T]) rows(at int, b *block) {
	kernel.AddWide[T](s.sum[at:at+b.m], b.p, b.stride, b.n, b.swap)
}

func (s *integerSums[T]) columns(at int, b *block) {
	kernel.AddIntegers[T](s.sum[at:at+b.n], b.p, b.stride, b.m, b.swap)
}

func (s *integerSums[T]) merge(at int, o states) {
	for i, x := range o.(*integerSums[T]).sum {
		s.sum[at+i] += x
	}
}

func (s *integerSums[T]) results(e *engine) ([]byte, error) {
	if e.Op == Sum {
		return strided.Bytes(s.sum), nil
	}
	mean := floatsOver(s.sum)
	for i, x := range s.sum {
		mean[i] = float64(x)
	}
	e.divided(mean, nil)
	return strided.Bytes(mean), nil
}

// floatSums are sums of floats, in two parts: lo is what was lost to hi by rounding.
type floatSums[T kernel.Float] struct{ hi, lo []float64 }

func (s *floatSums[T]) rows(at int, b *block) {
	var sums [64]float64
	for i := 0; i < b.m; i += len(sums) {
		some := sums[:min(len(sums), b.m-i)]
		kernel.SumRows[T](some, add(b.p, i*b.stride), b.stride, b.n, b.swap)
		for k, x := range some {
			s.add(at+i+k, x)
		}
	}
}

func (s *floatSums[T]) columns(at int, b *block) {
	kernel.AddFloats[T](s.hi[at:at+b.n], s.lo[at:at+b.n], b.p, b.stride, b.m, b.swap)
}

func (s *floatSums[T]) merge(at int, o states) {
	from := o.(*floatSums[T])
	for i, x := range from.hi {
		s.add(at+i, x)
		s.lo[at+i] += from.lo[i]
	}
}

func (s *floatSums[T]) add(i int, x float64) { kernel.Twofold(&s.hi[i], &s.lo[i], x) }

// joined adds lo to hi, where that is finite.
func joined(hi, lo []float64) []float64 {
	for i, x := range lo {
		if x-x == 0 {
			hi[i] += x
		}
	}
	return hi
}

func (s *floatSums[T]) results(e *engine) ([]byte, error) { return s.resultsOf(e, nil) }

// resultsOf returns the results where so many numbers were left out of each.
func (s *floatSums[T]) resultsOf(e *engine, left []int64) ([]byte, error) {
	sum := joined(s.hi, s.lo)
	if e.Op == Mean {
		e.divided(sum, left)
	}
	return strided.Bytes(sum), nil
}
