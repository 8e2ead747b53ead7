package array

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// Cast returns a as a View[T] in the same memory, whatever numbers its elements are: they are
// converted when they are read and written. It is for programs that take any file of numbers;
// where one dtype is expected, [As] refuses the others.
//
// T is bool, a number, or one of the floats dtype.Half, dtype.BF16, dtype.F8E4M3FN and dtype.F8E5M2, and a has a
// dtype of these, in either byte order; what As accepts, Cast returns as As does. Conversion is that of [Copy], in
// both directions:
//
//   - Integers wrap around: -1 in a file of i1 is 255 as a uint8.
//   - Floats are truncated toward zero to an integer. NaN becomes 0, and what is out of
//     range the nearest integer that there is.
//   - Integers past 1<<53 are rounded to the nearest float64, those past 1<<24 to the
//     nearest float32.
//   - True is 1, and anything but zero, NaN too, is true.
//   - [View.Update] stores all elements of a block, also those that its body leaves alone:
//     they are converted there and back.
//   - Complex numbers do not become real ones: that is an error. They become bool. Real
//     numbers become complex, and storing a complex number in a real array drops
//     its imaginary part.
//
// [View.Data] and the views of fixed rank return an error, since they need elements that
// are Go values in memory. Integers of the same size and byte order are, with and without sign:
// Cast[int8] of |u1 has a slice of its bytes. Everything else works. DType stays that of the memory, and
// [View.Array] returns a. The error is a *[DTypeError]. Cast allocates once, or once for
// each part of a [Stack].
func Cast[T any](a Array) (View[T], error) {
	have := a.DType()
	want, err := dtype.Of[T]()
	if err != nil || !want.IsNumber() || !have.IsNumber() || want.Kind() == have.Kind() && want.ItemSize() == have.ItemSize() {
		return As[T](a)
	}
	if have.Kind() == dtype.KindComplex && want.Kind() != dtype.KindComplex && want.Kind() != dtype.KindBool {
		return View[T]{}, &DTypeError{Path: a.view.el.mem.Path, Have: have, Want: want,
			Msg: "complex numbers do not become real ones; Reinterpret has their real and imaginary parts as a longer last axis; or Cast to complex128"}
	}
	c, err := a.view.mapParts(func(c view) (view, error) { return c.casted(want, strided.Alignof[T]()) })
	return View[T]{shaped{c}}, err
}

// casted returns c with numbers converted to those of dtype want, which have that
// alignment, and back.
func (c view) casted(want dtype.DType, align int) (view, error) {
	with := *c.el
	var err error
	with.load, with.save, err = elem.Numbers(want, with.dtype)
	with.value, with.size, with.cast = want, want.ItemSize(), true
	c.el = &with
	return c.accessible(align), err
}

// uncasted returns c as an Array has it: without a Go type of another dtype.
func (c view) uncasted() view {
	return must(c.mapParts(func(c view) (view, error) {
		with := *c.el
		with.cast = false
		with.init()
		c.el = &with
		return c, nil
	}))
}
