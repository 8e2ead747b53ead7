package array

import (
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

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
	if !src.Store.IsWhole() && n > 0 {
		if w := nd.Must(FromSlice(dst[end:])); src.MayOverlap(&w.view) {
			src = nd.Must(v.Clone(index.C)).view
		}
	}
	src.DecodeTo(strided.Bytes(dst[end:]))
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
