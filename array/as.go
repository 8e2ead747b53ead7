package array

import (
	"github.com/ndmap/ndmap/dtype"
)

// As is a as a View[T], with the same elements in the same memory. T must be the
// Go type of the dtype of a, see [dtype.Of]; byte order and alignment may be any.
// What does not agree is a *[DTypeError].
//
//	bool               bool
//	int8 … int64, int  i1 … i8
//	uint8 … uint64     u1 … u8
//	dtype.Float16      f2
//	float32, float64   f4, f8
//	complex64, 128     c8, c16
//
// For numbers As allocates nothing.
func As[T any](a Array) (View[T], error) {
	o := a.some()
	want, err := dtype.Of[T]()
	if err != nil {
		return View[T]{}, err
	}
	if !want.Equal(o.dtype.WithOrder(dtype.Native)) {
		return View[T]{}, &DTypeError{Path: o.path, Have: o.dtype, Want: want}
	}
	c := a.core
	if o.stack != nil {
		c, err = c.as(func(c core) (core, error) { return c.typed(want, alignof[T]()), nil })
	} else {
		c = c.typed(want, alignof[T]())
	}
	return View[T]{c}, err
}

// typed is c with the access to its elements as the Go type with the dtype want.
func (c core) typed(want dtype.DType, align uintptr) core {
	c.load = c.accessAs(want, align)
	if c.save != denied {
		c.save = c.load
		if want.Kind() == dtype.KindBool {
			c.save = direct // a Go bool is a byte of 0 or 1
		}
	}
	return c
}

// accessAs says how elements of c are read as the Go type with the dtype want.
func (c *core) accessAs(want dtype.DType, align uintptr) access {
	switch native := c.o.dtype.Equal(want); {
	case want.Kind() == dtype.KindBool:
		return boolByte
	case !native && want.Kind() == dtype.KindComplex:
		return swappedPair
	case !native:
		return swapped
	case !c.aligned(align):
		return unaligned
	}
	return direct
}
