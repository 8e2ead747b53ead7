package array

import (
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Collect returns the elements of v in C order, in a new slice, whatever their layout and byte order, converted where v
// converts them (see [Cast]), by all cores. [View.Data] has elements without a copy, where memory is such a slice.
// [Config.Copy] to an array on a slice (see [FromSlice]) can be called off.
func (v View[T]) Collect() []T {
	if v.view.load == direct && v.Contiguous(index.C) {
		return slices.Clone(strided.Slice[T](v.view.p, v.Size())) // which clears no memory first
	}
	return v.AppendTo(nil)
}

// AppendTo appends what [View.Collect] returns to dst, and returns the longer slice. Elements get new memory only where
// dst has no room. dst may be memory of v.
func (v View[T]) AppendTo(dst []T) []T {
	v.view.mustBeSet()
	n := v.Size()
	if n == 0 && dst == nil {
		return []T{}
	}
	end := len(dst)
	dst = slices.Grow(dst, n)[:end+n]
	src := v.view
	if !src.el.isWhole() && n > 0 {
		if w := must(FromSlice(dst[end:])); src.mayOverlap(&w.view) {
			src = must(v.Clone(index.C)).view
		}
	}
	src.decodeTo(strided.Bytes(dst[end:]))
	return dst
}

// decodeTo writes the elements of c to buf in C order, as Go values.
func (c *view) decodeTo(buf []byte) {
	size := c.el.size
	if !c.el.isWhole() {
		size = c.el.stack.parts[0].el.size
	}
	b := must(onBytes(buf, dtype.Void(size), must(c.lay.Compact(size, index.C))))
	must(0, forPairs(b, *c, func(b, c view) error { return strided.Copy(b.piece(), c.piece(), &c.el.load) }))
}

// AsType returns a copy of a in memory with dtype d, in an order as [Array.Clone] has it, converted as by [Copy].
// [Convert] makes a file, and [Cast] converts without a copy. The error is a *[DTypeError], or wraps [ErrShape].
func (a Array) AsType(d dtype.DType, order index.Order) (Array, error) {
	el := a.view.mustBeSet()
	if err := notInMemory(d); err != nil {
		return Array{}, fmt.Errorf("%s%w", prefix(el.mem.Path), err)
	}
	lay, err := a.view.lay.Compact(d.ItemSize(), order)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", prefix(el.mem.Path), err)
	}
	if _, err := assignment(&element{mem: &strided.Memory{}, dtype: d}, el); err != nil {
		return Array{}, err // before memory is allocated
	}
	c, err := onBytes(strided.Alloc(a.Size()*d.ItemSize()), d, lay)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", prefix(el.mem.Path), err)
	}
	return Array{shaped{c}}, copyElements(c, a.view)
}
