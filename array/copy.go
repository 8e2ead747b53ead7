package array

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
)

// Copy assigns the elements of src to those of dst, converting them from one dtype to the other, as dst[...] = src does
// in NumPy. The shape of src must be that of dst or broadcast to it; otherwise the error wraps [ErrShape]. If dst is
// read-only it wraps [ErrReadOnly], and dtypes that do not convert are a *[DTypeError]. After an error dst is as it
// was. [Config.Copy] reports its progress and can be called off.
//
// The result is as if src were copied elsewhere first, also where the two share memory; a copy is allocated only where
// no order of walking through the elements avoids it. It does not notice two mappings of one file.
//
// Integers wrap around: -1 of i1 is 255 as u1. Floats are truncated toward zero to an integer, where NaN becomes 0 and
// what is out of range the nearest integer that there is, and round to the nearest float, ties to even. Storing a
// complex number drops its imaginary part. True is 1, and anything but zero, NaN too, is true. Text is cut, or filled
// with NULs. Structured types are assigned field by field, in the order of their fields and whatever their names;
// padding, and fields that a dtype leaves out (see [Fields]), stay as they are. There must be as many fields, and
// sub-arrays of the same shape. Times convert as the int64 that counts them, of which the least is NaT; NaN becomes
// NaT. A time in one unit does not convert to another unit, nor S to U and back, text and V to numbers and back, or
// numbers to what has parts.
func Copy(dst, src Array) error { return nd.Copy(dst.view, src.view) }

// CopyFrom assigns the elements of src to those of v; see [Copy]. Where the two have other fields, or the same in
// another order, a field of T goes to the field of its name, and those that T leaves out stay as they are.
func (v View[T]) CopyFrom(src View[T]) error {
	if nd.SameFields(v.view.MustBeSet().DType, src.view.MustBeSet().DType) {
		return nd.Copy(v.view, src.view)
	}
	if v.view.MayOverlap(&src.view) {
		c, err := src.Clone(index.C)
		if err != nil {
			return err
		}
		src = c
	}
	return Map(v, src, func(dst, src []T) error {
		copy(dst, src)
		return nil
	})
}
