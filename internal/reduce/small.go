package reduce

import (
	"math"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// Small is Whole for the elements of p, real numbers of dtype d, without allocation. It reports whether they are so
// few, and lie in memory as Go has them, one after the other; otherwise it does nothing. Variances and moments are
// left to Whole.
func (j Job) Small(d dtype.DType, p strided.Piece) (x Number, ok bool) {
	n, order := p.Layout.Size(), index.K
	if j.Op.isArg() {
		order = index.C
	}
	if n == 0 || n*p.ItemSize > contiguousTileBytes || j.SkipNaN || !d.IsNative() ||
		!p.Layout.Contiguous(order, p.ItemSize) {
		return x, false
	}
	lo, _ := p.Layout.Bounds(p.ItemSize)
	first := add(p.P, lo)
	if strided.Address(first)&uintptr(min(p.ItemSize, 8)-1) != 0 {
		return x, false
	}
	switch d.Kind() {
	case dtype.KindInt:
		switch d.ItemSize() {
		case 1:
			ok = small[int8](&x, j.Op, first, n)
		case 2:
			ok = small[int16](&x, j.Op, first, n)
		case 4:
			ok = small[int32](&x, j.Op, first, n)
		default:
			ok = small[int64](&x, j.Op, first, n)
		}
	case dtype.KindUint:
		switch d.ItemSize() {
		case 1:
			ok = small[uint8](&x, j.Op, first, n)
		case 2:
			ok = small[uint16](&x, j.Op, first, n)
		case 4:
			ok = small[uint32](&x, j.Op, first, n)
		default:
			ok = small[uint64](&x, j.Op, first, n)
		}
	case dtype.KindFloat:
		switch d.ItemSize() {
		case 4:
			ok = small[float32](&x, j.Op, first, n)
		case 8:
			ok = small[float64](&x, j.Op, first, n)
		}
	}
	return x, ok
}

// small sets x to what op makes of n numbers, as the states do of a row of them.
func small[T kernel.Real](x *Number, op Op, p pointer, n int) bool {
	s := strided.Slice[T](p, n)
	isFloat := T(1)/2 != 0
	switch op {
	case Sum, Total, Mean:
		var sum float64
		switch {
		case isFloat:
			sum = kernel.Sum(s)
		case strided.Sizeof[T]() == 8 && op != Sum:
			if zero := T(0); zero-1 < 0 {
				sum = nearest(kernel.SumExact(strided.Slice[int64](p, n), 0))
			} else {
				sum = nearest(kernel.SumExact(strided.Slice[uint64](p, n), 0))
			}
		case op == Sum:
			set(x, 0, kernel.SumWide(s, 0))
			return true
		default:
			sum = float64(kernel.SumWide(s, 0))
		}
		if op == Mean {
			sum /= float64(n)
		}
		set(x, 0, sum)
	case Min, Max, MinMax:
		lo, hi := kernel.MinMax(s, 0)
		if lo != lo {
			lo, hi = T(math.NaN()), T(math.NaN())
		}
		if op == Max {
			lo = hi
		}
		set(x, 0, lo)
		set(x, strided.Sizeof[T](), hi)
	case ArgMin, ArgMax:
		lo, hi := kernel.MinMax(s, 0)
		if op == ArgMax {
			lo = hi
		}
		set(x, 0, int64(kernel.FirstOf(s, lo, 0)))
	case Count:
		set(x, 0, int64(kernel.Nonzero(s)))
	default:
		return false
	}
	return true
}

// A Number is the result of a reduction of all elements, as the states have it: see [Job.Whole].
type Number struct{ words [6]uint64 }

func set[T any](x *Number, off int, y T) { strided.Store(pointer(&x.words), off, y) }

// As returns the number of x as a T, which has the size of those of its type.
func As[T any](x Number) T { return strided.Load[T](pointer(&x.words), 0) }

// Both returns the two numbers that MinMax makes.
func Both[T any](x Number) (lo, hi T) {
	return strided.Load[T](pointer(&x.words), 0), strided.Load[T](pointer(&x.words), strided.Sizeof[T]())
}
