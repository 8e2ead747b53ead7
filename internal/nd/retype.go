package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// WithGoType returns a with elements of the Go type that has the dtype want and the given alignment. The error is a
// *array.DTypeError.
func (a Array) WithGoType(want dtype.DType, align int) (Array, error) {
	st := a.Store
	if !st.DType.IsNumber() || st.DType.Kind() != want.Kind() || st.Size != want.ItemSize() {
		typed := *st
		if err := typed.setGoType(want); err != nil {
			return Array{}, NewDTypeError(st.Mem.Path, st.DType, want, err.Error())
		}
		a.Store = &typed
	}
	return a.WithAccess(align), nil
}

// WithAccess returns a with the access modes that its codecs and the alignment of the Go type allow: InPlace if the
// bytes in memory are Go values, otherwise ByCodec.
func (a Array) WithAccess(align int) Array {
	aligned := a.Piece().IsAligned(align)
	accessBy := func(c *elem.Codec) Access {
		if aligned && c.IsPlain() {
			return InPlace
		}
		return ByCodec
	}
	a.Read = accessBy(&a.Store.Decode)
	if a.Write != NoWrite {
		a.Write = accessBy(&a.Store.Encode)
	}
	return a
}

// WithNumbers returns a with its elements converted to numbers of dtype want, which have the given alignment. decode
// converts elements to these numbers, and encode converts the numbers back.
func (a Array) WithNumbers(want dtype.DType, align int, decode, encode elem.Codec) Array {
	converted := *a.Store
	converted.Decode, converted.Encode = decode, encode
	converted.Value, converted.Size, converted.Converts = want, want.ItemSize(), true
	a.Store = &converted
	return a.WithAccess(align)
}

// WithoutGoType returns a without a conversion to another dtype: its codecs are the ones that NewStorage sets.
func (a Array) WithoutGoType() Array {
	return Must(a.Retype(func(a Array) (Array, error) {
		plain := *a.Store
		plain.Converts = false
		plain.init()
		a.Store = &plain
		return a, nil
	}))
}

// Raw returns a read-only array of the elements of a as plain bytes, which can be read in place.
func (a Array) Raw() Array {
	return Must(a.Retype(func(a Array) (Array, error) {
		raw := *a.Store
		raw.Size, raw.Converts = raw.DType.ItemSize(), false
		raw.Decode = elem.Repeat(raw.Size)
		a.Store, a.Read, a.Write = &raw, InPlace, NoWrite
		return a, nil
	}))
}

// Converted returns a with its Go values converted to numbers of dtype want when they are read. The result must not be
// written to: it still encodes the Go values of a.
func (a Array) Converted(want dtype.DType) (Array, error) {
	converted := *a.Store
	first, second := a.Store.Decode, elem.Codec{}
	second, err := elem.New(want, a.Store.Value)
	converted.Decode = elem.Chain(&first, &second)
	converted.Value, converted.Size, converted.Converts = want, want.ItemSize(), true
	a.Store = &converted
	a.Read = ByCodec
	return a, err
}

// Field returns the field f of the structures in a. The axes of a sub-array are appended to the axes of a.
func (a Array) Field(f dtype.Field) (Array, error) {
	base := f.Type.Base()
	shape, strides := a.Layout.Shape(), a.Layout.Strides()
	for d := f.Type; d.Kind() == dtype.KindSubarray; d = d.Base() {
		base = d.Base()
		sub, err := index.NewLayout(d.SubShape(), base.ItemSize(), index.C)
		if err != nil {
			return Array{}, err
		}
		shape, strides = append(shape, sub.Shape()...), append(strides, sub.Strides()...)
	}
	lay, err := index.Strided(shape, strides)
	if err != nil {
		return Array{}, err
	}
	return a.Retyped(base, lay, f.Offset)
}

// Retyped returns an array of dtype d with layout lay in the memory of a, which starts off bytes after the first
// element of a. It has no Go type, and is read-only if a is.
func (a Array) Retyped(d dtype.DType, lay index.Layout, off int) (Array, error) {
	st := NewStorage(a.Store.Mem, d)
	if a.Store.IsJoined() {
		if d.ItemSize() == 0 { // any offset will do, if it is in the part
			off = 0
		}
		return a.withStorage(st, lay, off), nil
	}
	r, err := st.newArray(a.Offset()+off, lay)
	if a.Write == NoWrite {
		r.Write = NoWrite
	}
	return r, err
}

// Reinterpreted returns the memory of a as elements of dtype d. If d has another item size, the length of the last axis
// changes, and its elements must be contiguous.
func (a Array) Reinterpreted(d dtype.DType) (Array, error) {
	from, to := a.Store.DType.ItemSize(), d.ItemSize()
	if from == to {
		return a.Retyped(d, a.Layout, 0)
	}
	last := a.Layout.NDim() - 1
	if last < 0 {
		return Array{}, fmt.Errorf("%w: items of %d bytes as items of %d: a 0-d array has no axis to change", ErrShape, from,
			to)
	}
	if n := a.Layout.Len(last); n != 1 && a.Layout.Size() > 0 && a.Layout.Stride(last) != from {
		return Array{}, fmt.Errorf("%w: items of %d bytes as items of %d: the last axis is not contiguous, "+
			"its elements are %d bytes apart", ErrNotDirect, from, to, a.Layout.Stride(last))
	}
	shape, strides := a.Layout.Shape(), a.Layout.Strides()
	bytes := shape[last] * from
	if to == 0 || bytes%to != 0 || to < from && from%to != 0 {
		return Array{}, fmt.Errorf("%w: a last axis of %d items of %d bytes is no whole number of items of %d", ErrShape,
			shape[last], from, to)
	}
	shape[last], strides[last] = bytes/to, to
	lay, err := index.Strided(shape, strides)
	if err != nil {
		return Array{}, err
	}
	return a.Retyped(d, lay, 0)
}

// AnyOffset returns an array of dtype d that covers the bytes of a, with elements at every kind of offset. It stands
// for a part of a joined array whose own layout cannot be reinterpreted: the layout of the joined array says where the
// elements are, while the part provides the bounds of its bytes and the worst alignment.
func (a Array) AnyOffset(d dtype.DType) Array {
	lo, hi := a.Layout.Bounds(a.Store.DType.ItemSize())
	last := max(0, hi-d.ItemSize()) // the last offset at which an element fits
	up, down := min(1, last), max(-1, lo)
	a.Store = NewStorage(a.Store.Mem, d)
	// The strides sum up to last and to lo, and two of them are 1 and -1, so no alignment above 1 holds.
	a.Layout = Must(index.Strided([]int{2, 2, 2, 2}, []int{last - up, up, lo - down, down}))
	return a
}
