package array

import (
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
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

// Clone returns a contiguous copy of a, in the order C or F, or, for K, with its axes in the order of the memory, as
// NumPy's copy(order="K") does; strides are not negative. It has the dtype of a, byte order included, and is in Go's
// memory, which needs no Close. Another order is an error. [Config.Clone] can be called off.
func (a Array) Clone(order index.Order) (Array, error) {
	c, err := a.view.Clone(order)
	return Array{shaped{c}}, err
}

// Clone returns a contiguous copy of v in Go's memory; see [Array.Clone]. It keeps the dtype and the byte order of v;
// that of a [Cast] or of [Scaled] has the elements as they are read, with the dtype of T in the byte order of the
// machine: 4 bytes each for float32.
func (v View[T]) Clone(order index.Order) (View[T], error) {
	if v.view.MustBeSet().Converts {
		return v.cloneConverted(order)
	}
	a, err := v.Array().Clone(order)
	if err != nil {
		return View[T]{}, err
	}
	return As[T](a)
}

// cloneConverted is Clone of a view that converts: the copy has elements of type T.
func (v View[T]) cloneConverted(order index.Order) (View[T], error) {
	d, err := typeOf[T]()
	if err != nil {
		return View[T]{}, err
	}
	lay, err := v.view.Layout.Compact(d.ItemSize(), order)
	if err != nil {
		return View[T]{}, fmt.Errorf("%s%w", nd.Prefix(v.view.Store.Mem.Path), err)
	}
	c, err := nd.OnBytes(strided.Alloc(v.Size()*d.ItemSize()), d, lay)
	if err != nil {
		return View[T]{}, err
	}
	w, err := As[T](Array{shaped{c}})
	if err == nil {
		err = w.CopyFrom(v)
	}
	return w, err
}

// Collect returns the elements of v in C order, in a new slice, whatever their layout and byte order, converted where v
// converts them (see [Cast]), by all cores. [View.Data] has elements without a copy, where memory is such a slice.
// [Config.Copy] to an array on a slice (see [FromSlice]) can be called off.
func (v View[T]) Collect() []T {
	if v.view.Read == nd.InPlace && v.Contiguous(index.C) {
		return slices.Clone(strided.Slice[T](v.view.P, v.Size())) // which clears no memory first
	}
	return v.AppendTo(nil)
}

// AppendTo appends what [View.Collect] returns to dst, and returns the longer slice. Elements get new memory only where
// dst has no room. dst may be memory of v.
func (v View[T]) AppendTo(dst []T) []T {
	v.view.MustBeSet()
	n := v.Size()
	if n == 0 && dst == nil {
		return []T{}
	}
	end := len(dst)
	dst = slices.Grow(dst, n)[:end+n]
	src := v.view
	if src.Store.IsJoined() && n > 0 {
		if w := nd.Must(FromSlice(dst[end:])); src.MayOverlap(&w.view) {
			src = nd.Must(v.Clone(index.C)).view
		}
	}
	src.DecodeParallel(strided.Bytes(dst[end:]))
	return dst
}

// AsType returns a copy of a in memory with dtype d, in an order as [Array.Clone] has it, converted as by [Copy].
// [Convert] makes a file, and [Cast] converts without a copy. The error is a *[DTypeError], or wraps [ErrShape].
func (a Array) AsType(d dtype.DType, order index.Order) (Array, error) {
	el := a.view.MustBeSet()
	if err := notInMemory(d); err != nil {
		return Array{}, fmt.Errorf("%s%w", nd.Prefix(el.Mem.Path), err)
	}
	lay, err := a.view.Layout.Compact(d.ItemSize(), order)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", nd.Prefix(el.Mem.Path), err)
	}
	if _, err := nd.Assignment(&nd.Storage{Mem: &strided.Memory{}, DType: d}, el); err != nil {
		return Array{}, err // before memory is allocated
	}
	c, err := nd.OnBytes(strided.Alloc(a.Size()*d.ItemSize()), d, lay)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", nd.Prefix(el.Mem.Path), err)
	}
	return Array{shaped{c}}, nd.Copy(c, a.view)
}

// Fill sets every element of v to x. It panics if v is read-only; see SetAt.
func (v View[T]) Fill(x T) {
	v.view.MustBeWritable()
	if n := v.view.Layout.Size(); n <= nd.FewElements && v.view.Write == nd.InPlace && !v.view.Store.Encode.HasPadding() &&
		v.Contiguous(index.C) {
		s := strided.Slice[T](v.view.P, n)
		for i := range s {
			s[i] = x
		}
		return
	}
	v.view.Fill(strided.Hide(pointer(&x)))
}

// Concatenate assigns the elements of the arrays to those of dst, one array after the other along an axis, as
// np.concatenate does with out: each as [Copy] does, from its dtype to that of dst. A negative axis counts from the
// end. The arrays have as many dimensions as dst, at least one, and lengths that along the axis add up to that of dst,
// and are the same along the others; else the error wraps [ErrShape]. If dst is read-only it wraps [ErrReadOnly], and
// dtypes that do not convert are a *[DTypeError]. All that is checked before the first element is assigned.
//
// The result is as if the arrays were copied elsewhere first; one that shares memory with a part of dst that it does
// not become is. [Join] makes one array of several without copying.
func Concatenate(dst Array, axis int, arrays ...Array) error {
	to, err := dst.MoveAxis(axis, 0)
	if err != nil {
		return err
	}
	if len(arrays) == 0 {
		return fmt.Errorf("%s%w: no arrays to concatenate", nd.Prefix(dst.view.Store.Mem.Path), ErrShape)
	}
	dsts, srcs := make([]nd.View, len(arrays)), make([]nd.View, len(arrays))
	end := 0
	for k, a := range arrays {
		a.view.MustBeSet()
		fits := a.NDim() == dst.NDim()
		if fits {
			a = nd.Must(a.MoveAxis(axis, 0))
			for i := 1; i < a.NDim(); i++ {
				fits = fits && a.Len(i) == to.Len(i)
			}
		}
		if !fits {
			return fmt.Errorf("%s%w: array %d of shape %s does not go along axis %d of shape %s",
				nd.Prefix(arrays[k].view.Store.Mem.Path), ErrShape, k, nd.Tuple(arrays[k].Shape()), axis, nd.Tuple(dst.Shape()))
		}
		start := end
		end = min(end+a.Len(0), to.Len(0)+1) // no lengths overflow
		part, err := to.Select(index.Range(start, end))
		if err != nil {
			return err
		}
		if end > to.Len(0) || k == len(arrays)-1 && end < to.Len(0) {
			total := 0
			for _, b := range arrays {
				total += nd.Must(b.MoveAxis(axis, 0)).Len(0)
			}
			return fmt.Errorf("%s%w: the arrays have %d along axis %d, and dst %d", nd.Prefix(dst.view.Store.Mem.Path), ErrShape,
				total, axis, to.Len(0))
		}
		dsts[k] = part.view
		if srcs[k], err = a.view.ForWriting(part.view); err != nil {
			return err
		}
		if _, err := nd.Assignment(part.view.Store, srcs[k].Store); err != nil {
			return err
		}
	}
	for k := range srcs {
		if !srcs[k].MayOverlap(&to.view) {
			continue
		}
		for j := range dsts {
			if j != k && srcs[k].MayOverlap(&dsts[j]) {
				if srcs[k], err = srcs[k].Clone(index.K); err != nil {
					return err
				}
				break
			}
		}
	}
	for k := range srcs {
		if err := nd.Copy(dsts[k], srcs[k]); err != nil {
			return err
		}
	}
	return nil
}
