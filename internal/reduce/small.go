package reduce

import (
	"math"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// Small does the work of Whole for a few real numbers, without allocation. It reduces the elements of p, which have
// dtype d. It returns false, and computes nothing, if there are too many elements, if they are not consecutive, aligned
// Go numbers, or if the operation is a variance, a product or Moments.
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
	small := functionsFor(d).small
	if small == nil || strided.Address(first)&uintptr(min(p.ItemSize, 8)-1) != 0 {
		return x, false
	}
	ok = small(strided.Hide(pointer(&x.words)), j.Op, first, n)
	return x, ok
}

// small reduces n numbers to the words of a Number at out, with the same result as the accumulators of one row. It
// returns false if it cannot.
func small[T kernel.Real](out pointer, op Op, p pointer, n int) bool {
	s := strided.Slice[T](p, n)
	switch op {
	case Sum, Total, Mean:
		var sum float64
		switch {
		case isFloat[T]():
			sum = kernel.Sum(s)
		case strided.Sizeof[T]() == 8 && op != Sum:
			if zero := T(0); zero-1 < 0 {
				sum = nearestFloat64(kernel.SumExact(strided.Slice[int64](p, n), 0))
			} else {
				sum = nearestFloat64(kernel.SumExact(strided.Slice[uint64](p, n), 0))
			}
		case op == Sum:
			strided.Store(out, 0, kernel.SumWide(s, 0))
			return true
		default:
			sum = float64(kernel.SumWide(s, 0))
		}
		if op == Mean {
			sum /= float64(n)
		}
		strided.Store(out, 0, sum)
	case Min, Max, MinMax:
		lo, hi := kernel.MinMax(s, 0)
		if lo != lo {
			lo, hi = T(math.NaN()), T(math.NaN())
		}
		if op == Max {
			lo = hi
		}
		strided.Store(out, 0, lo)
		strided.Store(out, strided.Sizeof[T](), hi)
	case ArgMin, ArgMax:
		lo, hi := kernel.MinMax(s, 0)
		if op == ArgMax {
			lo = hi
		}
		strided.Store(out, 0, int64(kernel.FirstOf(s, lo, 0)))
	case Count:
		strided.Store(out, 0, int64(kernel.Nonzero(s)))
	default:
		return false
	}
	return true
}

// A Number is the result of a reduction of all elements. [Job.Whole] documents its type.
type Number struct{ words [6]uint64 }

// As returns x as a T, which must be the type of the result.
func As[T any](x Number) T { return strided.Load[T](pointer(&x.words), 0) }

// Both returns the two numbers in the result of a MinMax of Ts.
func Both[T any](x Number) (lo, hi T) {
	return strided.Load[T](pointer(&x.words), 0), strided.Load[T](pointer(&x.words), strided.Sizeof[T]())
}
