package array

import (
	"fmt"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/nd"
)

// Field returns one field of a structured array, by its name or title, in the same memory, with the dimensions of a
// sub-array after those of a. Names of nested fields are joined by dots: "pos.x". Others wrap [ErrDType].
func (a Array) Field(name string) (Array, error) {
	a.view.MustBeSet()
	for rest := name; ; {
		// A name may have dots itself: the longest that there is, wins.
		head := rest
		f, ok := a.DType().Field(head)
		for !ok {
			i := strings.LastIndexByte(head, '.')
			if i < 0 {
				return Array{}, a.view.DTypeError("no field %q in dtype %v", name, a.DType())
			}
			head = head[:i]
			f, ok = a.DType().Field(head)
		}
		c, err := a.view.Retype(func(c nd.Array) (nd.Array, error) { return c.Field(f) })
		if err != nil {
			return Array{}, fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
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
	a.view.MustBeSet()
	fields := make([]dtype.Field, len(names))
	for k, name := range names {
		f, ok := a.DType().Field(name)
		if !ok {
			return Array{}, a.view.DTypeError("no field %q in dtype %v", name, a.DType())
		}
		fields[k] = f
	}
	if a.DType().Kind() != dtype.KindStructured {
		return Array{}, a.view.DTypeError("dtype %v has no fields", a.DType())
	}
	d, err := dtype.Struct(a.ItemSize(), fields...)
	if err != nil {
		return Array{}, a.view.DTypeError("%w", err)
	}
	c, err := a.view.Retype(func(c nd.Array) (nd.Array, error) { return c.Retyped(d, c.Layout, 0) })
	return Array{shaped{c}}, err
}

// Reinterpret returns the memory of a as elements of the dtype d, without a copy, as NumPy's ndarray.view(d) does.
// Where d has another item size the length of the last axis changes: (2, 3) of float64 becomes (2, 6) of float32. The
// error wraps [ErrNotDirect] if the last axis is not contiguous, and [ErrShape] if its bytes are no whole number of
// elements.
func (a Array) Reinterpret(d dtype.DType) (Array, error) {
	a.view.MustBeSet()
	if d.Kind() == dtype.KindSubarray || notInMemory(d) != nil {
		return Array{}, a.view.DTypeError("dtype %v cannot be that of an array", d)
	}
	whole := a.view.Store.IsWhole()
	c, err := a.view.Retype(func(c nd.Array) (nd.Array, error) {
		r, err := c.Reinterpreted(d)
		if isPart := !whole && c.Store.IsWhole(); isPart && err != nil { // the view says which elements become one, or several
			return c.Anywhere(d), nil
		}
		return r, err
	})
	if err == nil {
		c, err = c.MustNotStraddle()
	}
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
	}
	return Array{shaped{c}}, nil
}
