package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// WithGoType returns v with the Go type whose dtype is want and whose alignment is align. The error is a
// *array.DTypeError.
func (v View) WithGoType(want dtype.DType, align int) (View, error) {
	return v.retype(func(v View) (View, error) {
		st := v.Store
		if !st.DType.IsNumber() || st.DType.Kind() != want.Kind() || st.Size != want.ItemSize() {
			typed := *st
			if err := typed.setGoType(want); err != nil {
				return View{}, NewDTypeError(st.Mem.Path, st.DType, want, err.Error())
			}
			v.Store = &typed
		}
		return v.withAccess(align), nil
	})
}

// withAccess returns v with the access modes that its codecs and the alignment of the Go type allow: InPlace if the
// bytes in memory are Go values, otherwise ByCodec.
func (v View) withAccess(align int) View {
	aligned := v.piece().IsAligned(align)
	accessBy := func(c *elem.Codec) Access {
		if aligned && c.IsPlain() {
			return InPlace
		}
		return ByCodec
	}
	v.Read = accessBy(&v.Store.Decode)
	if v.Write != NoWrite {
		v.Write = accessBy(&v.Store.Encode)
	}
	return v
}

// WithNumbers returns v with its elements converted to numbers of dtype want, which have the given alignment. decode
// converts elements to these numbers, and encode converts the numbers back.
func (v View) WithNumbers(want dtype.DType, align int, decode, encode elem.Codec) View {
	return Must(v.retype(func(v View) (View, error) {
		converted := *v.Store
		converted.Decode, converted.Encode = decode, encode
		converted.Value, converted.Size, converted.Converts = want, want.ItemSize(), true
		v.Store = &converted
		return v.withAccess(align), nil
	}))
}

// WithoutGoType returns v with the codecs that NewStorage sets, so without a conversion to another dtype.
func (v View) WithoutGoType() View {
	return Must(v.retype(func(v View) (View, error) {
		plain := *v.Store
		plain.Converts = false
		plain.init()
		v.Store = &plain
		return v, nil
	}))
}

// Untyped returns v without a Go type.
func (v View) Untyped() View {
	if v.Store.Converts {
		v = v.WithoutGoType()
	}
	if v.Store.Joined == nil {
		v.Read = Untyped
		if v.Write != NoWrite {
			v.Write = Untyped
		}
	}
	return v
}

// Raw returns a read-only view of the elements of v as plain bytes, which can be read in place.
func (v View) Raw() View {
	return Must(v.retype(func(v View) (View, error) {
		raw := *v.Store
		raw.Size, raw.Converts = raw.DType.ItemSize(), false
		raw.Decode = elem.Repeat(raw.Size)
		v.Store, v.Read, v.Write = &raw, InPlace, NoWrite
		return v, nil
	}))
}

// Converted returns a read-only view of the Go values of v, converted to numbers of dtype want. It returns the error of
// [elem.New].
func (v View) Converted(want dtype.DType) (View, error) {
	return v.retype(func(v View) (View, error) {
		converted := *v.Store
		first, second := v.Store.Decode, elem.Codec{}
		second, err := elem.New(want, v.Store.Value)
		converted.Decode = elem.Chain(&first, &second)
		converted.Value, converted.Size, converted.Converts = want, want.ItemSize(), true
		v.Store, v.Read, v.Write = &converted, ByCodec, NoWrite
		return v, err
	})
}

// Field returns the field f of the structures in v. The axes of a sub-array are appended to the axes of v.
func (v View) Field(f dtype.Field) (View, error) {
	return v.retype(func(v View) (View, error) {
		base, lay, err := FieldLayout(v.Layout, f)
		if err != nil {
			return View{}, err
		}
		return v.withDType(base, lay, f.Offset)
	})
}

// FieldLayout returns the dtype and the layout of the field f of the structures in lay. Its first element is f.Offset
// bytes after the first structure.
func FieldLayout(lay index.Layout, f dtype.Field) (dtype.DType, index.Layout, error) {
	base := f.Type.Base()
	shape, strides := lay.Shape(), lay.Strides()
	for d := f.Type; d.Kind() == dtype.KindSubarray; d = d.Base() {
		base = d.Base()
		sub, err := index.NewLayout(d.SubShape(), base.ItemSize(), index.C)
		if err != nil {
			return base, sub, err
		}
		shape, strides = append(shape, sub.Shape()...), append(strides, sub.Strides()...)
	}
	lay, err := index.Strided(shape, strides)
	return base, lay, err
}

// WithDType returns the memory of v as elements of dtype d, which has the item size of v. The result has no Go type,
// and is read-only if v is read-only.
func (v View) WithDType(d dtype.DType) (View, error) {
	return v.retype(func(v View) (View, error) { return v.withDType(d, v.Layout, 0) })
}

// withDType returns a view of dtype d with layout lay in the memory of v. The view starts off bytes after the first
// element of v.
func (v View) withDType(d dtype.DType, lay index.Layout, off int) (View, error) {
	st := NewStorage(v.Store.Mem, d)
	if v.Store.Joined != nil {
		if d.ItemSize() == 0 { // any offset within the member works
			off = 0
		}
		return v.withStorage(st, lay, off), nil
	}
	r, err := st.newView(v.Offset()+off, lay)
	if v.Write == NoWrite {
		r.Write = NoWrite
	}
	return r, err
}

// Reinterpret returns the memory of v as elements of dtype d. If d has another item size, the length of the last axis
// changes, and its elements must be contiguous; otherwise the error wraps ErrNotDirect or ErrShape. It wraps ErrCopy if
// an element would lie in two members of a joined array.
func (v View) Reinterpret(d dtype.DType) (View, error) {
	joined := v.Store.Joined != nil
	v, err := v.retype(func(v View) (View, error) {
		r, err := v.reinterpret(d)
		if err != nil && joined &&
			v.Store.Joined == nil { // the layout of the joined array alone decides which bytes become an element
			return v.viewAtAnyOffset(d), nil
		}
		return r, err
	})
	if err != nil {
		return v, err
	}
	return v, v.checkStraddle()
}

func (v View) reinterpret(d dtype.DType) (View, error) {
	from, to := v.Store.DType.ItemSize(), d.ItemSize()
	if from == to {
		return v.withDType(d, v.Layout, 0)
	}
	last := v.Layout.NDim() - 1
	if last < 0 {
		return View{},
			fmt.Errorf("%w: cannot reinterpret elements of size %d as elements of size %d: a 0-d array has no axis to change",
				ErrShape,
				from,
				to)
	}
	if n := v.Layout.Len(last); n != 1 && v.Layout.Size() > 0 && v.Layout.Stride(last) != from {
		return View{},
			fmt.Errorf("%w: cannot reinterpret elements of size %d as elements of size %d: the last axis is not contiguous: "+
				"its elements are %d bytes apart", ErrNotDirect, from, to, v.Layout.Stride(last))
	}
	shape, strides := v.Layout.Shape(), v.Layout.Strides()
	bytes := shape[last] * from
	switch {
	case to == 0 || bytes%to != 0:
		return View{}, fmt.Errorf("%w: a last axis of %d elements of size %d is not a whole number of elements of size %d",
			ErrShape, shape[last], from, to)
	case to < from && from%to != 0:
		return View{},
			fmt.Errorf("%w: cannot reinterpret elements of size %d as elements of size %d: the new size must divide the old one",
				ErrShape, from, to)
	}
	shape[last], strides[last] = bytes/to, to
	lay, err := index.Strided(shape, strides)
	if err != nil {
		return View{}, err
	}
	return v.withDType(d, lay, 0)
}

// viewAtAnyOffset returns a view of dtype d that covers the bytes of v, with elements at every kind of offset. It
// replaces a member of a joined array that cannot be reinterpreted by itself. The layout of the joined array
// determines where the elements are; the member only provides the bounds of its bytes and the worst possible
// alignment.
func (v View) viewAtAnyOffset(d dtype.DType) View {
	lo, hi := v.Layout.Bounds(v.Store.DType.ItemSize())
	last := max(0, hi-d.ItemSize()) // the last offset at which an element fits
	up, down := min(1, last), max(-1, lo)
	v.Store = NewStorage(v.Store.Mem, d)
	// The strides sum up to last and to lo, and two of them are 1 and -1, so no alignment above 1 holds.
	v.Layout = Must(index.Strided([]int{2, 2, 2, 2}, []int{last - up, up, lo - down, down}))
	return v
}
