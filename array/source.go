package array

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// FromSlice returns a view of s with the given shape in C order, or of one dimension if no shape is given. It copies
// nothing. The error wraps [ErrShape] if the shape does not have len(s) elements. If T has no dtype, it returns the
// error of [dtype.Of].
func FromSlice[T any](s []T, shape ...int) (View[T], error) {
	d, err := dtype.Of[T]()
	if err != nil {
		return View[T]{}, err
	}
	if len(shape) == 0 {
		shape = []int{len(s)}
	}
	n, _, err := index.Size(shape, d.ItemSize())
	if err != nil {
		return View[T]{}, fmt.Errorf("array: %w", err)
	}
	switch {
	case len(s) < n:
		return View[T]{}, fmt.Errorf("array: %w: %d elements do not fill shape %s", ErrShape, len(s), nd.Tuple(shape))
	case len(s) > n:
		return View[T]{}, fmt.Errorf("array: %w: %d elements are too many for shape %s", ErrShape, len(s), nd.Tuple(shape))
	}
	a, err := FromBytes(strided.Bytes(s), d, index.C, shape...)
	if err != nil {
		return View[T]{}, err
	}
	return As[T](a)
}

// FromBytes returns an array of dtype d in the memory of b, without a copy. b may be longer than the array, and
// unaligned. If it is shorter, or if the order is not C or F, the error wraps [ErrShape]. b must be writable memory;
// for mappings use [FromMap].
func FromBytes(b []byte, d dtype.DType, order index.Order, shape ...int) (Array, error) {
	lay, err := index.NewLayout(shape, d.ItemSize(), order)
	if err == nil {
		err = checkMemoryDType(d)
	}
	if err != nil {
		return Array{}, fmt.Errorf("array: %w", err)
	}
	if _, n := lay.Bounds(d.ItemSize()); n > len(b) {
		return Array{}, fmt.Errorf("array: %w: %d bytes do not fill shape %s of dtype %v, which takes %d", ErrShape, len(b),
			nd.Tuple(shape), d, n)
	}
	if b == nil {
		b = []byte{} // elements of no bytes need an address, too
	}
	c, err := nd.OnBytes(b, d, lay)
	if err != nil {
		return Array{}, fmt.Errorf("array: %w", err)
	}
	return Array{c}, nil
}
