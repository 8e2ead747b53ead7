package index

import (
	"cmp"
	"slices"
)

// Compact returns the layout of a contiguous copy of l: the same shape, and strides for items of
// the given size in the given order.
//
// For [K] the axes have the order in which they lie in l, the largest stride outermost, as in
// NumPy's empty_like: strides (-10, 500, 50) of shape (2, 3, 4) become (8, 64, 16) for items of 8
// bytes.
//
// The error wraps [ErrShape] if [Size] refuses the shape and item size, or if the order is unknown.
// Compact allocates at most twice.
func (l Layout) Compact(itemsize int, order Order) (Layout, error) {
	var shapeBuf, axesBuf [MaxDims]int
	shape := l.AppendShape(shapeBuf[:0])
	if order > K {
		return Layout{}, shapeError("unknown order " + order.String() + ", want C, F or K")
	}
	if order != K {
		return NewLayout(shape, itemsize, order)
	}
	if _, _, err := Size(shape, itemsize); err != nil {
		return Layout{}, err
	}
	dims := make([]Dim, len(shape))
	for _, k := range l.appendByStride(axesBuf[:0]) {
		dims[k] = Dim{shape[k], itemsize}
		itemsize *= max(shape[k], 1)
	}
	return Layout{dims}, nil
}

// appendByStride appends the axes to dst, sorted by the absolute value of their strides, the
// smallest first. Axes with equal strides are appended last axis first, as in C order.
func (l Layout) appendByStride(dst []int) []int {
	for k := len(l.dims) - 1; k >= 0; k-- {
		dst = append(dst, k)
	}
	slices.SortStableFunc(dst, func(j, k int) int {
		return cmp.Compare(abs(l.dims[j].Stride), abs(l.dims[k].Stride))
	})
	return dst
}
