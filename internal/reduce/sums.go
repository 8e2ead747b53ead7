package reduce

import (
	"math"
	"math/bits"
	"slices"

	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// integerSums are accumulators of sums of integers, in 64 bits, or in 32 bits if e.hasShortSums.
type integerSums[T integer, A int32 | int64] struct {
	sum     []A
	scratch *scratch // for the results
}

// hasShortSums reports whether an axis is kept, and each sum fits in 32 bits because the integers are short and only
// a few are added up. Such sums of columns take a tenth less time than sums in 64 bits: the loop reads and stores the
// sums after every 8 rows.
func (e *engine) hasShortSums() bool {
	return e.width <= 2 && e.count <= 1<<(32-8*e.width) && slices.ContainsFunc(e.axes, func(a axis) bool { return a.kept })
}

func (s *integerSums[T, A]) addRows(at int, b *block) {
	var sums [64]int64
	for i := 0; i < b.m; i += len(sums) {
		part := sums[:min(len(sums), b.m-i)]
		clear(part)
		kernel.AddWide[T](part, add(b.p, i*b.stride), b.stride, b.n, b.swap)
		for k, x := range part {
			s.sum[at+i+k] += A(x)
		}
	}
}

func (s *integerSums[T, A]) addColumns(at int, b *block) {
	kernel.AddIntegers[T](s.sum[at:at+b.n], b.p, b.stride, b.m, b.swap)
}

func (s *integerSums[T, A]) merge(at int, o accumulators) {
	for i, x := range o.(*integerSums[T, A]).sum {
		s.sum[at+i] += x
	}
}

func (s *integerSums[T, A]) results(e *engine, left []int64) ([]byte, error) {
	if e.Op == Sum {
		return strided.Bytes(s.sum), nil
	}
	mean := floatsFor(s.scratch, s.sum)
	for i, x := range s.sum {
		if strided.Sizeof[A]() == 4 && T(0)-1 > 0 {
			mean[i] = float64(uint32(x))
		} else {
			mean[i] = float64(x)
		}
	}
	if e.Op == Mean {
		e.divide(mean, left)
	}
	return strided.Bytes(mean), nil
}

// exactSums are accumulators of sums of integers in 128 bits: hi holds the upper 64 bits. They are used only for
// reductions to a single result; see workType.
type exactSums[T int64 | uint64] struct {
	hi []int64
	lo []uint64
}

func (s *exactSums[T]) addRows(at int, b *block) {
	for i := range b.m {
		s.add(at+i, row[T](b, i), b.swap)
	}
}

// columns adds the only column of b, because there is only one sum.
func (s *exactSums[T]) addColumns(at int, b *block) {
	for i := range b.m {
		s.add(at, row[T](b, i), b.swap)
	}
}

func (s *exactSums[T]) add(i int, r []T, swap int) {
	hi, lo := kernel.SumExact(r, swap)
	s.hi[i], s.lo[i] = kernel.Add128(s.hi[i], s.lo[i], hi, lo)
}

func (s *exactSums[T]) merge(at int, o accumulators) {
	from := o.(*exactSums[T])
	for i, hi := range from.hi {
		s.hi[at+i], s.lo[at+i] = kernel.Add128(s.hi[at+i], s.lo[at+i], hi, from.lo[i])
	}
}

func (s *exactSums[T]) results(e *engine, left []int64) ([]byte, error) {
	sum := floatsFor(nil, s.hi)
	for i, hi := range s.hi {
		sum[i] = nearestFloat64(hi, s.lo[i])
	}
	if e.Op == Mean {
		e.divide(sum, left)
	}
	return strided.Bytes(sum), nil
}

// nearestFloat64 returns the float64 nearest to an integer of 128 bits.
func nearestFloat64(hi int64, lo uint64) float64 {
	if hi < 0 {
		hi, lo = kernel.Add128(^hi, ^lo, 0, 1)
		return -nearestFloat64(hi, lo) // the sum is not -1<<127, which would need more than 1<<63 integers
	}
	shift := bits.LeadingZeros64(uint64(hi))
	if shift == 64 {
		return float64(lo)
	}
	top := uint64(hi)<<shift | lo>>(64-shift)
	if lo<<shift != 0 {
		top |= 1 // not exactly halfway between two floats
	}
	return math.Ldexp(float64(top), 64-shift)
}

// floatSums are accumulators of sums of floats in two parts: lo is the sum of the rounding errors of hi.
type floatSums[T kernel.Float] struct{ hi, lo []float64 }

func (s *floatSums[T]) addRows(at int, b *block) {
	var sums [64]float64
	for i := 0; i < b.m; i += len(sums) {
		part := sums[:min(len(sums), b.m-i)]
		kernel.SumRows[T](part, add(b.p, i*b.stride), b.stride, b.n, b.swap)
		for k, x := range part {
			s.add(at+i+k, x)
		}
	}
}

func (s *floatSums[T]) addColumns(at int, b *block) {
	kernel.AddFloats[T](s.hi[at:at+b.n], s.lo[at:at+b.n], b.p, b.stride, b.m, b.swap)
}

func (s *floatSums[T]) merge(at int, o accumulators) {
	from := o.(*floatSums[T])
	for i, x := range from.hi {
		s.add(at+i, x)
		s.lo[at+i] += from.lo[i]
	}
}

func (s *floatSums[T]) add(i int, x float64) { kernel.TwoSum(&s.hi[i], &s.lo[i], x) }

// addLow adds each finite number of lo to hi, and returns hi.
func addLow(hi, lo []float64) []float64 {
	for i, x := range lo {
		if x-x == 0 {
			hi[i] += x
		}
	}
	return hi
}

func (s *floatSums[T]) results(e *engine, left []int64) ([]byte, error) {
	sum := addLow(s.hi, s.lo)
	if e.Op == Mean {
		e.divide(sum, left)
	}
	return strided.Bytes(sum), nil
}
