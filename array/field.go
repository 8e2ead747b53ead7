package array

import (
	"fmt"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// Field returns one field of a structured array, by its name or title, in the same memory, with the dimensions of a
// sub-array after those of a. Names of nested fields are joined by dots: "pos.x". Others wrap [ErrDType].
func (a Array) Field(name string) (Array, error) {
	a.view.mustBeSet()
	for rest := name; ; {
		// A name may have dots itself: the longest that there is, wins.
		head := rest
		f, ok := a.DType().Field(head)
		for !ok {
			i := strings.LastIndexByte(head, '.')
			if i < 0 {
				return Array{}, a.view.dtypeError("no field %q in dtype %v", name, a.DType())
			}
			head = head[:i]
			f, ok = a.DType().Field(head)
		}
		c, err := a.view.retype(func(c view) (view, error) { return c.field(f) })
		if err != nil {
			return Array{}, fmt.Errorf("%s%w", prefix(a.view.el.mem.Path), err)
		}
		a = Array{shaped{c}}
		if head == rest {
			return a, nil
		}
		rest = rest[len(head)+1:]
	}
}

// Fields returns the fields of a structured array that have these names or titles, in this order, as NumPy's a[['x',
// 'y']] does: in the same memory, with elements that are as long. Copies to its elements leave the bytes of the other
// fields alone. A name that a does not have, or that is given twice, is an error that wraps [ErrDType].
func Fields(a Array, names ...string) (Array, error) {
	a.view.mustBeSet()
	fields := make([]dtype.Field, len(names))
	for k, name := range names {
		f, ok := a.DType().Field(name)
		if !ok {
			return Array{}, a.view.dtypeError("no field %q in dtype %v", name, a.DType())
		}
		fields[k] = f
	}
	if a.DType().Kind() != dtype.KindStructured {
		return Array{}, a.view.dtypeError("dtype %v has no fields", a.DType())
	}
	d, err := dtype.Struct(a.ItemSize(), fields...)
	if err != nil {
		return Array{}, a.view.dtypeError("%w", err)
	}
	c, err := a.view.retype(func(c view) (view, error) { return c.retyped(d, c.lay, 0) })
	return Array{shaped{c}}, err
}

// dtypeError returns an error about the dtype of c that wraps ErrDType.
func (c view) dtypeError(format string, args ...any) error {
	return ofKind(fmt.Errorf("%s%w", prefix(c.el.mem.Path), fmt.Errorf(format, args...)), ErrDType)
}

func (c view) field(f dtype.Field) (view, error) {
	base := f.Type.Base()
	shape, strides := c.lay.Shape(), c.lay.Strides()
	for d := f.Type; d.Kind() == dtype.KindSubarray; d = d.Base() {
		base = d.Base()
		sub, err := index.NewLayout(d.SubShape(), base.ItemSize(), index.C)
		if err != nil {
			return view{}, err
		}
		shape, strides = append(shape, sub.Shape()...), append(strides, sub.Strides()...)
	}
	lay, err := index.Strided(shape, strides)
	if err != nil {
		return view{}, err
	}
	return c.retyped(base, lay, f.Offset)
}

// retyped is memory of c, from off bytes after its first element, as elements of
// another dtype.
func (c view) retyped(d dtype.DType, lay index.Layout, off int) (view, error) {
	el := newElement(c.el.mem, d)
	if !c.el.isWhole() {
		if d.ItemSize() == 0 { // anywhere will do, but in the part
			off = 0
		}
		return c.withElement(el, lay, off), nil
	}
	r, err := el.onMemory(c.offset()+off, lay)
	if c.save == denied {
		r.save = denied
	}
	return r, err
}

// Reinterpret returns the memory of a as elements of the dtype d, without a copy, as NumPy's ndarray.view(d) does.
// Where d has another item size the length of the last axis changes: (2, 3) of float64 becomes (2, 6) of float32. The
// error wraps [ErrNotDirect] if the last axis is not contiguous, and [ErrShape] if its bytes are no whole number of
// elements.
func (a Array) Reinterpret(d dtype.DType) (Array, error) {
	a.view.mustBeSet()
	if d.Kind() == dtype.KindSubarray || notInMemory(d) != nil {
		return Array{}, a.view.dtypeError("dtype %v cannot be that of an array", d)
	}
	whole := a.view.el.isWhole()
	c, err := a.view.retype(func(c view) (view, error) {
		r, err := c.reinterpreted(d)
		if isPart := !whole && c.el.isWhole(); isPart && err != nil { // the view says which elements become one, or several
			return c.anywhere(d), nil
		}
		return r, err
	})
	if err == nil {
		c, err = c.mustNotStraddle()
	}
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", prefix(a.view.el.mem.Path), err)
	}
	return Array{shaped{c}}, nil
}

func (c view) reinterpreted(d dtype.DType) (view, error) {
	from, to := c.el.dtype.ItemSize(), d.ItemSize()
	if from == to {
		return c.retyped(d, c.lay, 0)
	}
	last := c.lay.NDim() - 1
	if last < 0 {
		return view{}, fmt.Errorf("%w: items of %d bytes as items of %d: a 0-d array has no axis to change", ErrShape, from,
			to)
	}
	if n := c.lay.Len(last); n != 1 && c.lay.Size() > 0 && c.lay.Stride(last) != from {
		return view{},
			fmt.Errorf("%w: items of %d bytes as items of %d: the last axis is not contiguous, its elements are %d bytes apart",
				ErrNotDirect, from, to, c.lay.Stride(last))
	}
	shape, strides := c.lay.Shape(), c.lay.Strides()
	bytes := shape[last] * from
	if to == 0 || bytes%to != 0 || to < from && from%to != 0 {
		return view{}, fmt.Errorf("%w: a last axis of %d items of %d bytes is no whole number of items of %d", ErrShape,
			shape[last], from, to)
	}
	shape[last], strides[last] = bytes/to, to
	lay, err := index.Strided(shape, strides)
	if err != nil {
		return view{}, err
	}
	return c.retyped(d, lay, 0)
}

// anywhere returns c with the bytes that it has, of which elements of dtype d may start at any.
func (c view) anywhere(d dtype.DType) view {
	lo, hi := c.lay.Bounds(c.el.dtype.ItemSize())
	last := max(0, hi-d.ItemSize()) // where an element starts
	up, down := min(1, last), max(-1, lo)
	c.el = newElement(c.el.mem, d)
	c.lay = must(index.Strided([]int{2, 2, 2, 2}, []int{last - up, up, lo - down, down}))
	return c
}
