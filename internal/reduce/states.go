package reduce

import (
	"math"
	"math/bits"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// accumulators holds one accumulator for each result. Goroutines may use different accumulators at the same time.
type accumulators interface {
	// addRows adds row i of b to accumulator at+i.
	addRows(at int, b *block)

	// addColumns adds column j of b to accumulator at+j.
	addColumns(at int, b *block)

	// merge adds accumulator i of o to accumulator at+i. o has the same type as the receiver.
	merge(at int, o accumulators)

	// results returns all results, as numbers of e.resultType. It may overwrite the accumulators, and return their
	// memory. left, if it is not nil, holds for each result the number of elements that were left out.
	results(e *engine, left []int64) ([]byte, error)
}

// typeFunctions holds the functions for one Go type of numbers.
type typeFunctions struct {
	states func(e *engine, m *scratch, n int) accumulators
	small  func(out pointer, op Op, p pointer, n int) bool
}

// goTypes holds the typeFunctions of each kind of numbers, at index i for numbers of 1<<i bytes. Those of a dtype
// without a Go type are zero.
var goTypes = [...][6]typeFunctions{
	dtype.KindInt: {{newShort[int8], small[int8]}, {newShort[int16], small[int16]},
		{newIntegers[int32], small[int32]}, {newLong[int64], small[int64]}},
	dtype.KindUint: {{newShort[uint8], small[uint8]}, {newShort[uint16], small[uint16]},
		{newIntegers[uint32], small[uint32]}, {newLong[uint64], small[uint64]}},
	dtype.KindFloat:   {2: {newFloats[float32], small[float32]}, 3: {newFloats[float64], small[float64]}},
	dtype.KindComplex: {3: {newComplexes, nil}, 4: {newComplexes, nil}},
}

// functionsFor returns the functions for numbers of dtype d, or none if d has no Go type.
func functionsFor(d dtype.DType) (t typeFunctions) {
	if kind := int(d.Kind()); kind < len(goTypes) {
		return goTypes[kind][bits.TrailingZeros(uint(d.ItemSize()))]
	}
	return t
}

// newAccumulators returns n accumulators in memory of m, or in new memory if m is nil.
func (e *engine) newAccumulators(m *scratch, n int) accumulators {
	s := functionsFor(e.work).states(e, m, n)
	if e.mean == nil {
		return s
	}
	if m != nil {
		m.states = nil // s is in use
	}
	return &stdAndMean{s, e.mean.newAccumulators(m, n), m}
}

// newShort returns accumulators of integers of 1 or 2 bytes.
func newShort[T int8 | int16 | uint8 | uint16](e *engine, m *scratch, n int) accumulators {
	if e.Op == Var || e.Op == Std {
		return reuse(m, squares[T]{zeros[int64](m, n), zeros[uint64](m, n)})
	}
	return newIntegers[T](e, m, n)
}

// newLong returns accumulators of integers of 8 bytes.
func newLong[T int64 | uint64](e *engine, m *scratch, n int) accumulators {
	if e.Op == Mean || e.Op == Total {
		return reuse(m, exactSums[T]{zeros[int64](m, n), zeros[uint64](m, n)})
	}
	return newIntegers[T](e, m, n)
}

// newIntegers returns accumulators of integers.
func newIntegers[T integer](e *engine, m *scratch, n int) accumulators {
	switch isSum := e.Op == Sum || e.Op == Mean || e.Op == Total; {
	case e.Op == Prod:
		return reuse(m, integerProducts[T]{filled[int64](m, n, 1)})
	case isSum && e.hasShortSums():
		return reuse(m, integerSums[T, int32]{zeros[int32](m, n), m})
	case isSum:
		return reuse(m, integerSums[T, int64]{zeros[int64](m, n), m})
	}
	return newReals[T](e, m, n)
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// newReals returns accumulators for the operations that treat integers and floats alike.
func newReals[T kernel.Real](e *engine, m *scratch, n int) accumulators {
	least, greatest := limits[T]()
	if e.isBool {
		greatest = 1
	}
	switch e.Op {
	case Count:
		return reuse(m, counts[T]{zeros[int64](m, n)})
	case Min:
		x := filled(m, n, greatest)
		return reuse(m, extremes[T]{x, x, nil, least})
	case Max:
		x := filled(m, n, least)
		return reuse(m, extremes[T]{x, nil, x, greatest})
	case MinMax: // one result
		x := filled(m, 2, greatest)
		x[1] = least
		return reuse(m, extremes[T]{x, x[:1], x[1:], 0})
	case ArgMin:
		return reuse(m, positions[T]{filled(m, n, greatest), filled[int64](m, n, math.MaxInt64), least, false})
	}
	return reuse(m, positions[T]{filled(m, n, least), filled[int64](m, n, math.MaxInt64), greatest, true})
}

// newFloats returns accumulators of floats.
func newFloats[T kernel.Float](e *engine, m *scratch, n int) accumulators {
	var s accumulators
	var fill T
	switch e.Op {
	case Sum, Mean, Total:
		s = reuse(m, floatSums[T]{zeros[float64](m, n), zeros[float64](m, n)})
	case Var, Std, Moments:
		return newMoments(m, n, e)
	case Prod: // T is float64
		s, fill = reuse(m, products{filled(m, n, 1.0), zeros[int64](m, n)}), 1
	default:
		s = newReals[T](e, m, n)
		fill = T(math.Inf(1))
		if e.Op == Max || e.Op == ArgMax {
			fill = -fill
		}
	}
	if e.scrub {
		return reuse(m, scrubbed[T]{s, zeros[int64](m, n), fill})
	}
	return s
}

// filled returns n copies of x, in memory allocated by zeros.
func filled[T any](m *scratch, n int, x T) []T {
	s := zeros[T](m, n)
	if n > 0 {
		s[0] = x
	}
	for k := 1; k < n; k *= 2 {
		copy(s[k:], s[:k])
	}
	return s
}

// limits returns the least and the greatest number of type T.
func limits[T kernel.Real]() (least, greatest T) {
	zero := T(0)
	if isFloat[T]() {
		return T(math.Inf(-1)), T(math.Inf(1))
	}
	if zero-1 > 0 {
		return 0, zero - 1
	}
	top := T(1)
	for range 8*strided.Sizeof[T]() - 2 {
		top += top + 1
	}
	return -top - 1, top
}

// isFloat reports whether T is a type of floats.
func isFloat[T kernel.Real]() bool { return T(1)/2 != 0 }

// row returns row i of b.
func row[T any](b *block, i int) []T { return strided.Slice[T](add(b.p, i*b.stride), b.n) }

// resultType returns the dtype of the results.
func (e *engine) resultType() dtype.DType {
	switch kind := e.work.Kind(); {
	case e.WithMean && kind == dtype.KindComplex:
		return complexMeanStdType
	case e.WithMean:
		return meanStdType
	case e.Op == Sum && kind == dtype.KindInt && e.hasShortSums():
		return dtype.Int32
	case e.Op == Sum && kind == dtype.KindUint && e.hasShortSums():
		return dtype.Uint32
	}
	return e.Op.resultType(e.work)
}

// resultType returns the dtype of the results for numbers of the work dtype.
func (op Op) resultType(work dtype.DType) dtype.DType {
	switch op {
	case Moments:
		return momentsType
	case Min, Max, MinMax:
		return work
	case Total:
		op = Mean
	}
	switch d := op.Type(work); {
	case d.Kind() == dtype.KindComplex:
		return dtype.Complex128
	case !elem.IsFloat(d):
		return d
	}
	return dtype.Float64
}

// divide divides each sum by its number of elements. left, if it is not nil, holds the number of elements that were
// left out of each sum.
func (e *engine) divide(sum []float64, left []int64) {
	for i := range sum {
		n := e.count
		if left != nil {
			n -= int(left[i])
		}
		sum[i] /= float64(n)
	}
}

// scrubbed wraps accumulators. It replaces NaN by the number fill before they add numbers. left counts the NaN of each
// result.
type scrubbed[T kernel.Float] struct {
	accumulators
	left []int64
	fill T
}

func (s *scrubbed[T]) addRows(at int, b *block) {
	s.replace(at, b, 1, 0)
	s.accumulators.addRows(at, b)
}

func (s *scrubbed[T]) addColumns(at int, b *block) {
	s.replace(at, b, 0, 1)
	s.accumulators.addColumns(at, b)
}

// replace replaces NaN in b. The number in row i and column j belongs to result at + i*perRow + j*perColumn.
func (s *scrubbed[T]) replace(at int, b *block, perRow, perColumn int) {
	for i := range b.m {
		r := row[T](b, i)
		if x := kernel.Extreme(r, 0, false); x == x { // no NaN
			continue
		}
		for j, x := range r {
			if x != x {
				r[j] = s.fill
				s.left[at+i*perRow+j*perColumn]++
			}
		}
	}
}

func (s *scrubbed[T]) merge(at int, o accumulators) {
	from := o.(*scrubbed[T])
	for i, n := range from.left {
		s.left[at+i] += n
	}
	s.accumulators.merge(at, from.accumulators)
}

func (s *scrubbed[T]) results(e *engine, _ []int64) ([]byte, error) {
	return s.accumulators.results(e, s.left)
}
