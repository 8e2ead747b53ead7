package array

import (
	"cmp"
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
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
func Copy(dst, src Array) error { return copyElements(dst.view, src.view) }

// CopyFrom assigns the elements of src to those of v; see [Copy]. Where the two have other fields, or the same in
// another order, a field of T goes to the field of its name, and those that T leaves out stay as they are.
func (v View[T]) CopyFrom(src View[T]) error {
	if sameFields(v.view.mustBeSet().dtype, src.view.mustBeSet().dtype) {
		return copyElements(v.view, src.view)
	}
	if v.view.mayOverlap(&src.view) {
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

// sameFields reports whether structures of a and b have fields of the same names in the same
// order, and those of theirs, or are none. Text is not the same as the block of numbers that it is
// in Go.
func sameFields(a, b dtype.DType) bool {
	if isBlock := a.Kind() == dtype.KindSubarray; isBlock != (b.Kind() == dtype.KindSubarray) {
		return false
	} else if isBlock {
		return sameFields(a.Base(), b.Base())
	}
	if a.Kind() != dtype.KindStructured || b.Kind() != dtype.KindStructured {
		return true
	}
	if a.NumField() != b.NumField() {
		return false
	}
	for k := range a.NumField() {
		if f, g := a.FieldAt(k), b.FieldAt(k); f.Name != g.Name || !sameFields(f.Type, g.Type) {
			return false
		}
	}
	return true
}

func copyElements(dst, src view) error {
	src, err := src.forWriting(dst)
	if err != nil {
		return err
	}
	if !dst.isWhole() || !src.isWhole() {
		return copyParts(dst, src)
	}
	return copyWhole(dst, src)
}

// copyWhole copies between views of one shape that lie in one memory each.
func copyWhole(dst, src view) error {
	c, err := assignment(dst.el, src.el)
	if err != nil {
		return err
	}
	return strided.Copy(dst.piece(), src.piece(), &c)
}

// forWriting returns c as a source of dst, with the shape of that. The error is [ErrReadOnly] or
// [ErrShape].
func (c view) forWriting(dst view) (view, error) {
	c.mustBeSet()
	if dst.mustBeSet(); dst.save == denied {
		return view{}, fmt.Errorf("%s%w", prefix(dst.el.mem.Path), ErrReadOnly)
	}
	for c.lay.NDim() > dst.lay.NDim() && c.lay.Len(0) == 1 {
		c.index(0, &c) // as NumPy, which drops leading axes of length 1
	}
	if c.lay.SameShape(dst.lay) {
		return c, nil
	}
	lay, err := c.lay.Broadcast(dst.lay.Shape()...)
	if err != nil {
		return view{}, fmt.Errorf("%s%w", prefix(dst.el.mem.Path), err)
	}
	return c.sub(lay, 0), nil
}

// assignment returns the operation that assigns elements of src to those of dst.
func assignment(dst, src *element) (elem.Codec, error) {
	if dst.cast || src.cast { // they are Go values in between
		return elem.Chain(&src.load, &dst.save), nil
	}
	c, err := elem.New(dst.dtype, src.dtype)
	if err != nil {
		err = newDTypeError(cmp.Or(src.mem.Path, dst.mem.Path), src.dtype, dst.dtype, err.Error())
	}
	return c, err
}
