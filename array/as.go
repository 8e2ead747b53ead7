package array

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// As returns a as a View[T], with the same elements in the same memory. T must be the Go type of the dtype of a; byte
// order and alignment may be any. The error is a *[DTypeError], which says for structs which field differs, or that of
// [dtype.Of]. [Cast] has numbers of any dtype as T. For numbers As allocates nothing.
//
//	bool, integers, floats     the same, int and uint by their size; int64 also M8 and m8
//	dtype.Half, BF16, …        f2, bfloat16, float8_e4m3fn, float8_e5m2
//	complex64, complex128      c8, c16
//	[n]byte                    Sn, Vn, and the long doubles: the raw bytes
//	[n]uint32                  Un: the code points
//	struct                     structured: by the names of the fields
//
// A struct has the fields of the array that are named by the tags `npy:"name"`, or as in Go, in any order, packed or
// aligned; see [dtype.Of]. A field that the struct leaves out keeps its bytes when an element is set. A field may be a
// uint8 where the array has a bool. Where the struct is laid out as the elements, in the byte order of the machine and
// without booleans, [View.Data] returns them as they are.
func As[T any](a Array) (View[T], error) {
	a.view.mustBeSet()
	want, err := typeOf[T]()
	if err != nil {
		return View[T]{}, err
	}
	if a.view.el.isWhole() {
		c, err := a.view.typed(want, strided.Alignof[T]())
		return View[T]{shaped: shaped{c}}, err
	}
	c, err := a.view.retype(func(c view) (view, error) { return c.typed(want, strided.Alignof[T]()) })
	return View[T]{shaped: shaped{c}}, err
}

// typed returns c with the access to its elements as the Go type with the dtype want,
// which has that alignment.
func (c view) typed(want dtype.DType, align int) (view, error) {
	el := c.el
	if !el.dtype.IsNumber() || el.dtype.Kind() != want.Kind() || el.size != want.ItemSize() {
		with := *el
		if err := with.setGoType(want); err != nil {
			return view{}, newDTypeError(el.mem.Path, el.dtype, want, err.Error())
		}
		c.el = &with
	}
	return c.accessible(align), nil
}

// accessible returns c with the way to its elements that their codecs say, as Go values
// of that alignment.
func (c view) accessible(align int) view {
	aligned := c.piece().IsAligned(align)
	way := func(c *elem.Codec) access {
		if aligned && c.IsPlain() {
			return direct
		}
		return coded
	}
	c.load = way(&c.el.load)
	if c.save != denied {
		c.save = way(&c.el.save)
	}
	return c
}
