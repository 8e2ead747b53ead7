package nd

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// FewElements is the maximum number of elements that array.View.Fill sets in a plain loop. For more elements,
// [View.Fill] of this package is faster.
const FewElements = 32

// Copy assigns the elements of src, broadcast to the shape of dst, to the elements of dst. The result is correct even
// if dst and src overlap.
func Copy(dst, src View) error {
	src, err := src.ForWriting(dst)
	if err != nil {
		return err
	}
	return Aligned(dst, src, copyArray)
}

// copyArray copies the elements of src to dst, which has the same shape.
func copyArray(dst, src Array) error {
	c, err := Assignment(dst.Store, src.Store)
	if err != nil {
		return err
	}
	return strided.Copy(dst.Piece, src.Piece, &c)
}

// Aligned splits dst and src, views of the same shape, into pairs of plain arrays with corresponding elements, and
// calls f with each pair. If a view is joined and the two may share memory, Aligned copies src first.
func Aligned(dst, src View, f func(dst, src Array) error) error {
	if d, ok := dst.Plain(); ok {
		if s, ok := src.Plain(); ok {
			return f(d, s)
		}
	}
	return alignTiles(dst, src, f)
}

// alignTiles does the work of Aligned for joined views. It splits large views into tiles, because the elements that
// correspond to one member of a joined array may be spread over all pages of the other view. It prefetches the pages of
// each tile if the members are not in memory, and releases them after the tile. It keeps the pages of small views,
// which the next call may need.
func alignTiles(dst, src View, f func(dst, src Array) error) error {
	if shareMemory(&dst, &src) {
		var err error
		if src, err = src.detachedCopy(); err != nil {
			return err
		}
	}
	cold := [2]bool{dst.isColdJoined(), src.isColdJoined()}
	isLarge := max(dst.bytesOnPages(), src.bytesOnPages()) > strided.PartBytes
	if !isLarge && !cold[0] && !cold[1] {
		return eachPair(dst, src, f)
	}
	whole := Part{Views: []View{dst, src}}
	halvings := 0
	after := [2]strided.After{strided.Keep, strided.Keep}
	var pieces []strided.Piece
	if isLarge {
		halvings = whole.halvings(strided.TileBytes())
		after = [2]strided.After{strided.WriteBack, strided.Release}
		for k, v := range whole.Views {
			j := v.Store.Joined
			if j == nil {
				pieces = append(pieces, v.piece())
			}
			for i := 0; cold[k] && i < len(j.Members); i++ {
				pieces = append(pieces, j.Members[i].piece())
			}
		}
	}
	p := strided.Pass{Parts: 1 << halvings, InTurn: true}
	p.PageByPart(func(k int, visit func(q strided.Piece, after strided.After)) {
		part, ok := whole.cutByHalves(k, halvings)
		for i, v := range part.Views {
			if cold[i] && ok {
				Must(0, eachPlainArray(v, func(a Array) error { visit(a.Piece, after[i]); return nil }))
			}
		}
	}, pieces...)
	return p.Run(func(k int, _ *strided.Failure) error {
		part, ok := whole.cutByHalves(k, halvings)
		if !ok {
			return nil
		}
		return eachPair(part.Views[0], part.Views[1], f)
	})
}

// detachedCopy returns a copy of v in Go memory. Its elements have the same Go type.
func (v View) detachedCopy() (View, error) {
	tmp, err := v.WithoutGoType().Clone(index.C)
	if err != nil {
		return View{}, err
	}
	st := *v.Store
	st.Mem, st.Joined = tmp.Store.Mem, nil
	tmp.Store = &st
	return tmp, nil
}

// ForWriting returns a, broadcast to the shape of dst, as the source of a copy to dst. The error wraps [ErrReadOnly] or
// [ErrShape].
func (a View) ForWriting(dst View) (View, error) {
	a.MustBeSet()
	if dst.MustBeSet(); dst.Write == NoWrite {
		return View{}, fmt.Errorf("%s%w", Prefix(dst.Store.Mem.Path), ErrReadOnly)
	}
	for a.Layout.NDim() > dst.Layout.NDim() && a.Layout.Len(0) == 1 {
		a.Index(0, &a) // like NumPy, which drops leading axes of length 1
	}
	if a.Layout.SameShape(dst.Layout) {
		return a, nil
	}
	lay, err := a.Layout.Broadcast(dst.Layout.Shape()...)
	if err != nil {
		return View{}, fmt.Errorf("%s%w", Prefix(dst.Store.Mem.Path), err)
	}
	return a.subView(lay, 0), nil
}

// Assignment returns the codec that assigns elements of src to elements of dst.
func Assignment(dst, src *Storage) (elem.Codec, error) {
	if dst.Converts || src.Converts { // through Go values
		return elem.Chain(&src.Decode, &dst.Encode), nil
	}
	c, err := elem.New(dst.DType, src.DType)
	if err != nil {
		err = NewDTypeError(cmp.Or(src.Mem.Path, dst.Mem.Path), src.DType, dst.DType, err.Error())
	}
	return c, err
}

// SameFields reports whether a and b have the same field names in the same order, including those of nested structures.
// If a or b has no fields, it returns true. But a sub-array differs from every other dtype. Text, for example, differs
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

// Clone returns a copy of a in Go memory, without gaps, in the given order.
func (a View) Clone(order index.Order) (View, error) {
	dst, err := a.Compact(order)
	if err != nil {
		return View{}, err
	}
	return dst, Aligned(dst, a, cloneArray)
}

// cloneArray copies the elements of src to dst, which has the same shape and dtype. Unlike copyArray, it does not link
// conversions into the program.
func cloneArray(dst, src Array) error {
	c := elem.Same(src.Store.DType)
	return strided.Copy(dst.Piece, src.Piece, &c)
}

// Compact allocates an array of zeros with the shape and dtype of a, without gaps, in the given order.
func (a View) Compact(order index.Order) (View, error) {
	st := a.MustBeSet()
	lay, err := a.Layout.Compact(st.DType.ItemSize(), order)
	if err != nil {
		return View{}, fmt.Errorf("%s%w", Prefix(st.Mem.Path), err)
	}
	return OnBytes(strided.Alloc(a.Layout.Size()*st.DType.ItemSize()), st.DType, lay)
}

// Fill sets every element of v to the Go value at x.
func (v View) Fill(x pointer) {
	if !v.Store.IsJoined() {
		strided.Fill(v.piece(), x, &v.Store.Encode)
		return
	}
	item := slices.Clone(strided.Slice[byte](x, v.Store.Size)) // on the heap, because x may be on the stack
	Must(0, eachPlainArray(v, func(a Array) error {
		strided.Fill(a.Piece, strided.Start(item), &a.Store.Encode)
		return nil
	}))
}

// Decode decodes the elements of v to Go values in buf, in C order. If v is not joined, all work is done in the calling
// goroutine.
func (v *View) Decode(buf []byte) {
	if !v.Store.IsJoined() {
		strided.Decode(strided.Start(buf), v.piece(), &v.Store.Decode, v.Store.Size)
		return
	}
	v.decodeTo(v.valuesIn(buf))
}

// DecodeParallel decodes the elements of v to Go values in buf, in C order. Unlike Decode, it divides a large array
// among goroutines, and reads files ahead.
func (v *View) DecodeParallel(buf []byte) {
	if !v.Store.IsJoined() {
		lay := Must(v.Layout.Compact(v.Store.Size, index.C))
		Must(0, strided.Copy(strided.PieceOn(buf, lay, v.Store.Size), v.piece(), &v.Store.Decode))
		return
	}
	Must(0, Aligned(v.valuesIn(buf), *v, decodeArray))
}

// decodeTo decodes the elements of v to dst. dst has the shape of v and the item size of its Go values, and shares no
// memory with v. Loops call decodeTo for each block, and Take calls it for each row, so it prefetches no pages for a
// few elements.
func (v *View) decodeTo(dst View) {
	if v.bytesOnPages() <= strided.PartBytes {
		Must(0, eachPair(dst, *v, decodeArray))
		return
	}
	Must(0, Aligned(dst, *v, decodeArray))
}

// decodeArray decodes the elements of src to Go values in dst.
func decodeArray(dst, src Array) error { return strided.Copy(dst.Piece, src.Piece, &src.Store.Decode) }

// valuesIn returns a view of Go values in buf, in C order, with the shape of v.
func (v *View) valuesIn(buf []byte) View {
	size := v.Store.Size
	b := Must(OnBytes(buf, dtype.Void(size), Must(v.Layout.Compact(size, index.C))))
	b.Store.Size, b.Store.Decode, b.Store.Encode = size, elem.Repeat(size), elem.Repeat(size)
	b.Read, b.Write = InPlace, InPlace
	return b
}
