package reduce

import (
	"math"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// states are results that are under way. Goroutines may use different ones of one array.
type states interface {
	// rows adds each row of b to the states from at on.
	rows(at int, b *block)

	// columns adds each column of b to the states from at on.
	columns(at int, b *block)

	// merge adds all states of o, which is of the same type, to those from at on.
	merge(at int, o states)

	// results returns the results of all states, in memory that may be the states', as
	// numbers of the engine's resultType.
	results(e *engine) ([]byte, error)
}

// new returns n states, in m unless it is nil.
func (e *engine) new(m *scratch, n int) states {
	if e.mean == nil {
		return e.newStates(m, n)
	}
	var second *scratch
	if m != nil {
		if m.mean == nil {
			m.mean = new(scratch)
		}
		second = m.mean
		second.used = 0
	}
	return &withMean{e.newStates(m, n), e.mean.new(second, n), m}
}

// newStates returns n states, without those of the means.
func (e *engine) newStates(m *scratch, n int) states {
	switch size := e.width; e.work.Kind() {
	case dtype.KindInt:
		switch size {
		case 1:
			return newShort[int8](e, m, n)
		case 2:
			return newShort[int16](e, m, n)
		case 4:
			return newIntegers[int32](e, m, n)
		}
		return newWhole[int64](e, m, n)
	case dtype.KindUint:
		switch size {
		case 1:
			return newShort[uint8](e, m, n)
		case 2:
			return newShort[uint16](e, m, n)
		case 4:
			return newIntegers[uint32](e, m, n)
		}
		return newWhole[uint64](e, m, n)
	case dtype.KindFloat:
		if size == 4 {
			return newFloats[float32](e, m, n)
		}
		return newFloats[float64](e, m, n)
	}
	return newComplexes(e, m, n)
}

// newShort returns states for integers of 1 or 2 bytes.
func newShort[T int8 | int16 | uint8 | uint16](e *engine, m *scratch, n int) states {
	if e.Op == Var || e.Op == Std {
		return in(m, squares[T]{zeros[int64](m, n), zeros[uint64](m, n)})
	}
	return newIntegers[T](e, m, n)
}

// newIntegers returns states for integers.
func newIntegers[T integer](e *engine, m *scratch, n int) states {
	switch isSum := e.Op == Sum || e.Op == Mean || e.Op == Total; {
	case e.Op == Prod:
		return in(m, integerProducts[T]{filled[int64](m, n, 1)})
	case isSum && e.isShort():
		return in(m, integerSums[T, int32]{zeros[int32](m, n), m})
	case isSum:
		return in(m, integerSums[T, int64]{zeros[int64](m, n), m})
	}
	return newReals[T](e, m, n)
}

// newWhole returns states for integers of 8 bytes.
func newWhole[T int64 | uint64](e *engine, m *scratch, n int) states {
	if e.Op == Mean || e.Op == Total {
		return in(m, exactSums[T]{zeros[int64](m, n), zeros[uint64](m, n)})
	}
	return newIntegers[T](e, m, n)
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// newReals returns states that are alike for integers and floats.
func newReals[T kernel.Real](e *engine, m *scratch, n int) states {
	least, greatest := limits[T]()
	if e.isBool {
		greatest = 1
	}
	switch e.Op {
	case Count:
		return in(m, counts[T]{zeros[int64](m, n)})
	case Min:
		return in(m, extremes[T]{least: filled(m, n, greatest), last: least})
	case Max:
		return in(m, extremes[T]{greatest: filled(m, n, least), last: greatest})
	case MinMax:
		both := filled(m, 2*n, greatest)
		for i := range n {
			both[n+i] = least
		}
		return in(m, extremes[T]{both[:n], both[n:], both, 0})
	case ArgMin:
		return in(m, positions[T]{filled(m, n, greatest), filled[int64](m, n, math.MaxInt64), least, false})
	}
	return in(m, positions[T]{filled(m, n, least), filled[int64](m, n, math.MaxInt64), greatest, true})
}

// newFloats returns states for floats.
func newFloats[T kernel.Float](e *engine, m *scratch, n int) states {
	var s states
	var fill T
	switch e.Op {
	case Sum, Mean, Total:
		s = in(m, floatSums[T]{zeros[float64](m, n), zeros[float64](m, n)})
	case Var, Std, Moments:
		return newMoments(m, n, e)
	case Prod: // of float64 alone
		s, fill = in(m, products{filled(m, n, 1.0), zeros[int64](m, n)}), 1
	default:
		s = newReals[T](e, m, n)
		fill = T(math.Inf(1))
		if e.Op == Max || e.Op == ArgMax {
			fill = -fill
		}
	}
	if e.scrub {
		return in(m, scrubbed[T]{s, zeros[int64](m, n), fill})
	}
	return s
}

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

// limits returns a number that is no greater than any, and one that is no less.
func limits[T kernel.Real]() (least, greatest T) {
	zero := T(0)
	if T(1)/2 != 0 {
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

// row returns row i of b.
func row[T any](b *block, i int) []T { return strided.Slice[T](add(b.p, i*b.stride), b.n) }

// resultType returns the type of the results.
func (e *engine) resultType() dtype.DType {
	switch kind := e.work.Kind(); {
	case e.WithMean && kind == dtype.KindComplex:
		return complexMeanStdType
	case e.WithMean:
		return meanStdType
	case e.Op == Sum && kind == dtype.KindInt && e.isShort():
		return dtype.Int32
	case e.Op == Sum && kind == dtype.KindUint && e.isShort():
		return dtype.Uint32
	}
	return e.Op.resultOf(e.work)
}

// resultOf returns the type of the results for numbers of the work dtype.
func (op Op) resultOf(work dtype.DType) dtype.DType {
	kind := work.Kind()
	switch op {
	case Sum, Prod:
		switch kind {
		case dtype.KindInt, dtype.KindUint:
			return Sum.Type(work)
		case dtype.KindFloat:
			return dtype.Float64
		}
	case Median, Quantile:
		return dtype.Float64
	case Mean, Var, Std, Total:
		if kind != dtype.KindComplex || op == Var || op == Std {
			return dtype.Float64
		}
	case ArgMin, ArgMax, Count:
		return dtype.Int64
	case Moments:
		return momentsType
	}
	return work
}

// divided divides sums by how many numbers each has; so many were left out.
func (e *engine) divided(sum []float64, left []int64) {
	for i := range sum {
		n := e.count
		if left != nil {
			n -= int(left[i])
		}
		sum[i] /= float64(n)
	}
}
