package array

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/readat"
	"github.com/ndmap/ndmap/internal/strided"
)

// Copy assigns the elements of src to the elements of dst, converted to the dtype of dst, as dst[...] = src does in
// NumPy. src is broadcast to the shape of dst.
//
// The error wraps [ErrShape] if src cannot be broadcast, and [ErrReadOnly] if dst is read-only. It is a *[DTypeError]
// if the dtype cannot be converted. After an error, dst is unchanged.
//
// If dst and src share memory, the result is the same as if src were copied elsewhere first. Copy allocates such a copy
// only if no order of the elements avoids it. It does not detect two mappings of the same file.
//
//   - Integers wrap around: -1 of i1 is 255 as u1.
//   - Floats are truncated toward zero to become integers. NaN becomes 0, and a number out of range becomes the nearest integer of the type.
//   - Numbers are rounded to the nearest float, ties to even. Complex numbers lose their imaginary part.
//   - True becomes 1. Any number except zero becomes true, NaN included.
//   - Text is cut, or filled with NULs. S, U and V do not convert to each other or to numbers.
//   - Structures are assigned field by field, in order, and must have the same number of fields. Padding, and fields that a dtype leaves out (see [Fields]), do not change.
//   - Sub-arrays must have the same shape.
//   - Times convert to and from their int64 counts; NaT is the least int64. A count without a unit becomes a time in any unit, but one unit does not convert to another.
func Copy(dst, src Array) error { return nd.Copy(dst.view, src.view) }

// CopyContext is like [Copy], but stops when ctx is done. Then the error wraps context.Cause(ctx), and dst may be
// partly written. If dst and src share memory and are not the same elements, it always copies src first.
func CopyContext(ctx context.Context, dst, src Array) error {
	if ctx.Done() == nil {
		return Copy(dst, src)
	}
	s, err := src.view.ForWriting(dst.view)
	if err == nil {
		_, err = nd.Assignment(dst.view.Store, s.Store)
	}
	if err != nil {
		return err
	}
	p := newProgress(func(_, _ int64) error { return contextError(ctx, dst.view, "copy") }, math.MaxInt64,
		nd.ScanReportBytes)
	if err := p.Begin(); err != nil || dst.Size() == 0 {
		return err
	}
	if !dst.view.IsSame(&s) && dst.view.MayOverlap(&s) {
		c, err := s.Compact(index.K)
		if err == nil {
			err = p.copy(c, s)
		}
		if err != nil {
			return err
		}
		s = c
	}
	return p.copy(dst.view, s)
}

// contextError returns an error that names op and the file of v if ctx is done.
func contextError(ctx context.Context, v nd.View, op string) error {
	if err := readat.Cause(ctx); err != nil {
		return fmt.Errorf("%s%s: %w", nd.Prefix(v.Store.Mem.Path), op, err)
	}
	return nil
}

// CopyFrom assigns the elements of src to the elements of v; see [Copy]. It matches fields by their names in T, not by
// position, and does not change fields that T leaves out.
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

// Clone returns a contiguous copy of a in Go memory, with the same dtype and byte order, in the order C or F. For K,
// the axes of the copy keep the order of their strides, as in NumPy's copy(order="K"). Other orders are errors.
func (a Array) Clone(order index.Order) (Array, error) {
	c, err := a.view.Clone(order)
	return Array{c}, err
}

// Clone returns a contiguous copy of v in Go memory; see [Array.Clone]. A copy of a [Cast] or a [Scaled] view contains
// the converted elements, with the dtype of T in the byte order of the machine.
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

// cloneConverted is Clone for a view that converts its elements. The elements of the copy have the dtype of T.
func (v View[T]) cloneConverted(order index.Order) (View[T], error) {
	d, err := dtype.Of[T]()
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
	w, err := As[T](Array{c})
	if err == nil {
		err = w.CopyFrom(v)
	}
	return w, err
}

// Collect returns the elements of v in C order, in a new slice, converted if v is a [Cast] or [Scaled]. All cores
// divide the work on a large array. [View.Data] returns the memory itself, without a copy. To cancel the work, use
// [CopyContext] with an array from [FromSlice].
func (v View[T]) Collect() []T {
	if v.view.Read == nd.InPlace && v.Contiguous(index.C) {
		return slices.Clone(strided.Slice[T](v.view.P, v.Size())) // faster than AppendTo: does not clear the memory first
	}
	return v.AppendTo(nil)
}

// AppendTo appends the elements that [View.Collect] returns to dst, and returns the extended slice. It allocates only
// if the capacity of dst is too small. dst may share memory with v.
func (v View[T]) AppendTo(dst []T) []T {
	v.view.MustBeSet()
	n := v.Size()
	if n == 0 && dst == nil {
		return []T{}
	}
	end := len(dst)
	dst = slices.Grow(dst, n)[:end+n]
	v.view.DecodeParallel(strided.Bytes(dst[end:]))
	return dst
}

// AsType returns a copy of a with dtype d, in Go memory. Elements are converted as by [Copy], or the error is a
// *[DTypeError]; for order see [Array.Clone]. [Convert] writes a file; [Cast] converts without a copy.
func (a Array) AsType(d dtype.DType, order index.Order) (Array, error) {
	el := a.view.MustBeSet()
	if err := checkMemoryDType(d); err != nil {
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
	return Array{c}, nd.Copy(c, a.view)
}

// Fill sets every element of v to x. It panics if v is read-only; see [View.SetAt].
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

// Concatenate copies the arrays to dst, one after another along an axis, like np.concatenate with out. A negative axis
// counts from the end. Elements are converted as by [Copy], which has the same errors. The arrays may share memory with
// dst. [Join] joins arrays without copying.
//
// Along the axis, the lengths of the arrays must add up to the length of dst; along each other axis, all lengths must
// be equal. Otherwise the error wraps [ErrShape]. An axis that dst does not have is a *[index.BoundsError]. After an
// error, dst is unchanged.
func Concatenate(dst Array, axis int, arrays ...Array) error {
	moved, err := dst.MoveAxis(axis, 0)
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
				fits = fits && a.Len(i) == moved.Len(i)
			}
		}
		if !fits {
			return fmt.Errorf("%s%w: cannot concatenate array %d of shape %s along axis %d of shape %s",
				nd.Prefix(arrays[k].view.Store.Mem.Path), ErrShape, k, nd.Tuple(arrays[k].Shape()), axis, nd.Tuple(dst.Shape()))
		}
		start := end
		end = min(end+a.Len(0), moved.Len(0)+1) // the sum cannot overflow
		part, err := moved.Select(index.Range(start, end))
		if err != nil {
			return err
		}
		if end > moved.Len(0) || k == len(arrays)-1 && end < moved.Len(0) {
			total := 0
			for _, b := range arrays {
				total += nd.Must(b.MoveAxis(axis, 0)).Len(0)
			}
			return fmt.Errorf("%s%w: the arrays have length %d in total along axis %d, but dst has length %d",
				nd.Prefix(dst.view.Store.Mem.Path), ErrShape,
				total, axis, moved.Len(0))
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
		if !srcs[k].MayOverlap(&moved.view) {
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
