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

// newStates returns a function that makes n states, in m unless it is nil.
func (e *engine) newStates() func(m *scratch, n int) states {
	isVar := e.Op == Var || e.Op == Std
	switch d := e.lane; {
	case isVar && d.Equal(dtype.Int8):
		return squaresOf[int8]
	case isVar && d.Equal(dtype.Int16):
		return squaresOf[int16]
	case isVar && d.Equal(dtype.Uint8):
		return squaresOf[uint8]
	case isVar && d.Equal(dtype.Uint16):
		return squaresOf[uint16]
	case d.Equal(dtype.Int8):
		return statesOf[int8](e)
	case d.Equal(dtype.Int16):
		return statesOf[int16](e)
	case d.Equal(dtype.Int32):
		return statesOf[int32](e)
	case d.Equal(dtype.Int64):
		return statesOf[int64](e)
	case d.Equal(dtype.Uint8):
		return statesOf[uint8](e)
	case d.Equal(dtype.Uint16):
		return statesOf[uint16](e)
	case d.Equal(dtype.Uint32):
		return statesOf[uint32](e)
	case d.Equal(dtype.Uint64):
		return statesOf[uint64](e)
	case d.Equal(dtype.Float32):
		return floatStates[float32](e)
	case d.Equal(dtype.Float64):
		return floatStates[float64](e)
	}
	return e.complexStates()
}

func squaresOf[T int8 | int16 | uint8 | uint16](m *scratch, n int) states {
	return &squares[T]{zeros[int64](m, n), zeros[uint64](m, n)}
}

// statesOf returns what makes states for integers.
func statesOf[T integer](e *engine) func(m *scratch, n int) states {
	switch isSum := e.Op == Sum || e.Op == Mean; {
	case isSum && e.isShort():
		return func(m *scratch, n int) states { return &integerSums[T, int32]{zeros[int32](m, n), m} }
	case isSum:
		return func(m *scratch, n int) states { return &integerSums[T, int64]{zeros[int64](m, n), m} }
	}
	return realStates[T](e)
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

// realStates returns what makes states that are alike for integers and floats.
func realStates[T kernel.Real](e *engine) func(m *scratch, n int) states {
	least, greatest := limits[T]()
	switch e.Op {
	case Count:
		return func(m *scratch, n int) states { return &counts[T]{zeros[int64](m, n)} }
	case Min:
		return func(m *scratch, n int) states { return &extremes[T]{filled(m, n, greatest), false} }
	case Max:
		return func(m *scratch, n int) states { return &extremes[T]{filled(m, n, least), true} }
	case ArgMin:
		return func(m *scratch, n int) states {
			return &positions[T]{filled(m, n, greatest), filled[int64](m, n, math.MaxInt64), false}
		}
	}
	return func(m *scratch, n int) states {
		return &positions[T]{filled(m, n, least), filled[int64](m, n, math.MaxInt64), true}
	}
}

func floatStates[T kernel.Float](e *engine) func(m *scratch, n int) states {
	make1 := realStates[T](e)
	var fill T
	switch e.Op {
	case Sum, Mean:
		make1 = func(m *scratch, n int) states { return &floatSums[T]{zeros[float64](m, n), zeros[float64](m, n)} }
	case Min, ArgMin:
		fill = T(math.Inf(1))
	case Max, ArgMax:
		fill = T(math.Inf(-1))
	case Var, Std, Moments:
		return func(m *scratch, n int) states { return newMoments(m, n, e) }
	}
	if e.scrub {
		return func(m *scratch, n int) states { return &scrubbed[T]{make1(m, n), zeros[int64](m, n), fill} }
	}
	return make1
}

func filled[T any](m *scratch, n int, x T) []T {
	s := zeros[T](m, n)
	for i := range s {
		s[i] = x
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
	switch e.Op {
	case Sum:
		switch kind := e.lane.Kind(); {
		case kind == dtype.KindInt && e.isShort():
			return dtype.Int32
		case kind == dtype.KindUint && e.isShort():
			return dtype.Uint32
		case kind == dtype.KindInt || kind == dtype.KindUint:
			return Sum.Type(e.lane)
		case kind == dtype.KindFloat:
			return dtype.Float64
		}
	case Mean, Var, Std:
		if e.lane.Kind() != dtype.KindComplex || e.Op != Mean {
			return dtype.Float64
		}
	case ArgMin, ArgMax, Count:
		return dtype.Int64
	case Moments:
		return momentsType
	}
	return e.lane
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
