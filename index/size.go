package index

import (
	"math"
	"math/bits"
)

// MaxDims is the maximum number of dimensions, as in NumPy 2.
const MaxDims = 64

// Size returns the number of elements of an array with the given shape, and their size in bytes.
//
// As in NumPy, a length of zero does not hide an overflow: the product of all non-zero lengths and
// the item size must fit an int. So Size refuses (1<<62, 0, 1<<62) although it has no elements.
// Nothing computed from an accepted shape, such as strides, can then overflow.
//
// The error wraps [ErrShape]. It also reports negative lengths, negative item sizes and more than
// [MaxDims] dimensions.
func Size(shape []int, itemsize int) (elements, bytes int, err error) {
	if len(shape) > MaxDims {
		return 0, 0, shapeError("shape has " + itoa(len(shape)) + " dimensions, want at most 64")
	}
	if itemsize < 0 {
		return 0, 0, shapeError("negative item size " + itoa(itemsize))
	}
	elements, span, ok := 1, uint(max(itemsize, 1)), true
	for k, n := range shape {
		if n < 0 {
			return 0, 0, shapeError("negative length " + itoa(n) + " of axis " + itoa(k))
		}
		elements *= n
		if n > 0 && ok {
			span, ok = mul(span, uint(n))
		}
	}
	if !ok {
		msg := "shape " + tuple(shape)
		if itemsize > 1 {
			msg += " with item size " + itoa(itemsize)
		}
		return 0, 0, shapeError(msg + " overflows int")
	}
	return elements, elements * itemsize, nil
}

// mul returns a*b and whether it fits an int.
func mul(a, b uint) (uint, bool) {
	hi, lo := bits.Mul(a, b)
	return lo, hi == 0 && lo <= math.MaxInt
}

// abs returns the absolute value of i. The result is a uint so that it holds -MinInt.
func abs(i int) uint {
	if i < 0 {
		return -uint(i)
	}
	return uint(i)
}
