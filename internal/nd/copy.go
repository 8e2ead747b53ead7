package nd

import (
	"cmp"
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// SameFields reports whether structures of a and b have fields of the same names in the same
// order, and those of theirs, or are none. Text is not the same as the block of numbers that it is
// in Go.
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

func Copy(dst, src Array) error {
	src, err := src.ForWriting(dst)
	if err != nil {
		return err
	}
	if !dst.IsWhole() || !src.IsWhole() {
		return copyParts(dst, src)
	}
	return copyWhole(dst, src)
}

// copyWhole copies between views of one shape that lie in one memory each.
func copyWhole(dst, src Array) error {
	c, err := Assignment(dst.Store, src.Store)
	if err != nil {
		return err
	}
	return strided.Copy(dst.Piece(), src.Piece(), &c)
}

// ForWriting returns c as a source of dst, with the shape of that. The error is [ErrReadOnly] or
// [ErrShape].
func (c Array) ForWriting(dst Array) (Array, error) {
	c.MustBeSet()
	if dst.MustBeSet(); dst.Write == NoWrite {
		return Array{}, fmt.Errorf("%s%w", Prefix(dst.Store.Mem.Path), ErrReadOnly)
	}
	for c.Layout.NDim() > dst.Layout.NDim() && c.Layout.Len(0) == 1 {
		c.Index(0, &c) // as NumPy, which drops leading axes of length 1
	}
	if c.Layout.SameShape(dst.Layout) {
		return c, nil
	}
	lay, err := c.Layout.Broadcast(dst.Layout.Shape()...)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", Prefix(dst.Store.Mem.Path), err)
	}
	return c.sub(lay, 0), nil
}

// Assignment returns the operation that assigns elements of src to those of dst.
func Assignment(dst, src *Storage) (elem.Codec, error) {
	if dst.Converts || src.Converts { // they are Go values in between
		return elem.Chain(&src.Decode, &dst.Encode), nil
	}
	c, err := elem.New(dst.DType, src.DType)
	if err != nil {
		err = NewDTypeError(cmp.Or(src.Mem.Path, dst.Mem.Path), src.DType, dst.DType, err.Error())
	}
	return c, err
}

// FileOrder returns the order, C or F, in which c is written to a file for the given one:
// for K that is F where c is F contiguous and not C, as numpy.save has it.
func (c Array) FileOrder(order index.Order) index.Order {
	c.MustBeSet()
	if order != index.K {
		return order
	}
	if c.isLaidOut(index.F) && !c.isLaidOut(index.C) {
		return index.F
	}
	return index.C
}

// Clone returns a copy of c in memory of Go's.
func (c Array) Clone(order index.Order) (Array, error) {
	d, err := c.Compact(order)
	if err != nil {
		return Array{}, err
	}
	return d, Copy(d, c)
}

// Compact returns an array like c in memory of Go's, for a copy of it.
func (c Array) Compact(order index.Order) (Array, error) {
	el := c.MustBeSet()
	lay, err := c.Layout.Compact(el.DType.ItemSize(), order)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", Prefix(el.Mem.Path), err)
	}
	return OnBytes(strided.Alloc(c.Layout.Size()*el.DType.ItemSize()), el.DType, lay)
}

// Fill makes the Go value at x every element of c.
func (c Array) Fill(x pointer) {
	if !c.IsWhole() {
		axis := c.PartAxis()
		for i := 0; i < c.Layout.Len(axis); { // no closure, with which x would escape
			run := c.Within(axis, i)
			c.run(axis, i, run).Fill(x)
			i += max(1, run)
		}
		return
	}
	strided.Fill(c.Piece(), x, &c.Store.Encode)
}

// FewElements is up to how many elements a plain loop fills in less time than it takes to
// find out how to do better.
const FewElements = 32

// DecodeParallel writes the elements of c to buf in C order, as Go values.
func (c *Array) DecodeParallel(buf []byte) {
	size := c.Store.Size
	if !c.Store.IsWhole() {
		size = c.Store.Joined.Parts[0].Store.Size
	}
	b := Must(OnBytes(buf, dtype.Void(size), Must(c.Layout.Compact(size, index.C))))
	Must(0, forPairs(b, *c, func(b, c Array) error { return strided.Copy(b.Piece(), c.Piece(), &c.Store.Decode) }))
}
