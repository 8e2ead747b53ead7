package array

import (
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Collect returns the elements of v in C order, in a new slice, whatever their layout, byte order and alignment, and
// converted where v converts them (see [Cast]). All cores share the work of any that
// is more than a copy of bytes. [View.Data] has the elements without a copy,
// where memory is such a slice; [View.AppendTo] uses memory again.
func (v View[T]) Collect() []T {
	if v.view.load == direct && v.Contiguous(index.C) {
		return slices.Clone(strided.Slice[T](v.view.p, v.Size())) // which clears no memory first
	}
	return v.AppendTo(nil)
}

// AppendTo appends the elements of v to dst, as [View.Collect] returns them, and returns the longer slice. It allocates
// only where dst has no room for them. dst may be memory of v.
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

// AsType returns a copy of a in memory with dtype d, contiguous in the order C or F, or, for K, with its axes in the
// order that they have in a, as [Array.Clone] has it. Elements convert as [Copy] converts them. For a copy in a file
// see [Convert]; [Cast] converts elements one by one, without a copy. The error is a *[DTypeError] for dtypes that do
// not convert; it wraps [ErrShape] for another order, or more bytes than an int counts.
func (a Array) AsType(d dtype.DType, order index.Order) (Array, error) {
	el := a.view.mustBeSet()
	if d.Kind() == dtype.KindInvalid {
		return Array{}, &kindError{fmt.Errorf("%sthe zero DType describes no elements", prefix(el.mem.Path)), ErrDType}
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
