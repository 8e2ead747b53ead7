package nd

import (
	"cmp"
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// FewElements is the maximum number of elements that array.View.Fill sets in a plain loop. For more elements, it is
// worth finding a faster way.
const FewElements = 32

// Copy assigns the elements of src, broadcast to the shape of dst, to the elements of dst. The result is correct even
// if the two overlap.
func Copy(dst, src Array) error {
	src, err := src.ForWriting(dst)
	if err != nil {
		return err
	}
	if !dst.IsPlain() || !src.IsPlain() {
		return copyJoined(dst, src)
	}
	c, err := Assignment(dst.Store, src.Store)
	if err != nil {
		return err
	}
	return strided.Copy(dst.Piece(), src.Piece(), &c)
}

// ForWriting returns a, broadcast to the shape of dst, as the source of a copy to dst. The error wraps [ErrReadOnly] or
// [ErrShape].
func (a Array) ForWriting(dst Array) (Array, error) {
	a.MustBeSet()
	if dst.MustBeSet(); dst.Write == NoWrite {
		return Array{}, fmt.Errorf("%s%w", Prefix(dst.Store.Mem.Path), ErrReadOnly)
	}
	for a.Layout.NDim() > dst.Layout.NDim() && a.Layout.Len(0) == 1 {
		a.Index(0, &a) // like NumPy, which drops leading axes of length 1
	}
	if a.Layout.SameShape(dst.Layout) {
		return a, nil
	}
	lay, err := a.Layout.Broadcast(dst.Layout.Shape()...)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", Prefix(dst.Store.Mem.Path), err)
	}
	return a.sub(lay, 0), nil
}

// Assignment returns the codec that assigns elements of src to elements of dst.
func Assignment(dst, src *Storage) (elem.Codec, error) {
	if dst.Converts || src.Converts { // by way of Go values
		return elem.Chain(&src.Decode, &dst.Encode), nil
	}
	c, err := elem.New(dst.DType, src.DType)
	if err != nil {
		err = NewDTypeError(cmp.Or(src.Mem.Path, dst.Mem.Path), src.DType, dst.DType, err.Error())
	}
	return c, err
}

// SameFields reports whether a and b have fields of the same names in the same order, also in nested structures. If a
// or b has no fields, they count as the same. A sub-array differs from every other dtype: text, for example, differs
// from the array of numbers that represents it in Go.
func SameFields(a, b dtype.DType) bool {
	if isBlock := a.Kind() == dtype.KindSubarray; isBlock != (b.Kind() == dtype.KindSubarray) {
		return false
	} else if isBlock {
		return SameFields(a.Base(), b.Base())
	}
	if a.Kind() != dtype.KindStructured || b.Kind() != dtype.KindStructured {
		return true
	}
	if a.NumField() != b.NumField() {
		return false
	}
	for k := range a.NumField() {
		if f, g := a.FieldAt(k), b.FieldAt(k); f.Name != g.Name || !SameFields(f.Type, g.Type) {
			return false
		}
	}
	return true
}

// Clone returns a copy of a in memory that Go allocates.
func (a Array) Clone(order index.Order) (Array, error) {
	dst, err := a.Compact(order)
	if err != nil {
		return Array{}, err
	}
	return dst, Copy(dst, a)
}

// Compact allocates an array of zeros with the shape and dtype of a, without gaps, in the given order.
func (a Array) Compact(order index.Order) (Array, error) {
	st := a.MustBeSet()
	lay, err := a.Layout.Compact(st.DType.ItemSize(), order)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", Prefix(st.Mem.Path), err)
	}
	return OnBytes(strided.Alloc(a.Layout.Size()*st.DType.ItemSize()), st.DType, lay)
}

// Fill sets every element of a to the Go value at x.
func (a Array) Fill(x pointer) {
	if !a.IsPlain() {
		axis := a.MemberAxis()
		for i := 0; i < a.Layout.Len(axis); { // a closure would make x escape to the heap
			run := a.LenInMember(axis, i)
			a.axisRange(axis, i, run).Fill(x)
			i += max(1, run)
		}
		return
	}
	strided.Fill(a.Piece(), x, &a.Store.Encode)
}

// Decode decodes the elements of a to Go values in buf, in C order, in the calling goroutine.
func (a *Array) Decode(buf []byte) {
	if a.Store.IsJoined() {
		a.decodeJoined(buf)
		return
	}
	strided.Decode(strided.Start(buf), a.Piece(), &a.Store.Decode, a.Store.Size)
}

// DecodeParallel decodes the elements of a to Go values in buf, in C order. Unlike Decode it works as a copy does:
// several goroutines divide a large array among themselves, and files are read ahead.
func (a *Array) DecodeParallel(buf []byte) {
	size := a.Store.Size
	if a.Store.IsJoined() {
		size = a.Store.Joined.Members[0].Store.Size
	}
	dst := Must(OnBytes(buf, dtype.Void(size), Must(a.Layout.Compact(size, index.C))))
	Must(0, forPairs(dst, *a, func(dst, src Array) error {
		return strided.Copy(dst.Piece(), src.Piece(), &src.Store.Decode)
	}))
}
