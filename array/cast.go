package array

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Cast returns a as a View[T] in the same memory, whatever numbers its elements are: they are converted when they are
// read and written, as [Copy] converts them, in both directions. It is for programs that take any file of numbers;
// where one dtype is expected, [As] refuses the others. What As accepts, Cast returns as As does; another T is a
// number, and so is the dtype of a, else the error is a *[DTypeError]. Complex numbers are read as bool, and as no real
// ones, which is an error.
//
// [View.Data] and the views of fixed rank return an error, since they need Go values in memory, which integers of the
// same size with and without sign are. DType stays that of the memory. It allocates once.
func Cast[T any](a Array) (View[T], error) {
	have := a.DType()
	want, err := dtype.Of[T]()
	if err != nil || !want.IsNumber() || !have.IsNumber() || want.Kind() == have.Kind() &&
		want.ItemSize() == have.ItemSize() {
		return As[T](a)
	}
	if have.Kind() == dtype.KindComplex && want.Kind() != dtype.KindComplex && want.Kind() != dtype.KindBool {
		return View[T]{}, &DTypeError{Path: a.view.Store.Mem.Path, Have: have, Want: want,
			Msg: "complex numbers do not become real ones; Reinterpret has their real and imaginary parts as a longer last axis; or Cast to complex128"}
	}
	c, err := a.view.Retype(func(c nd.Array) (nd.Array, error) {
		load, save, err := elem.Numbers(want, c.Store.DType)
		return c.WithNumbers(want, strided.Alignof[T](), load, save), err
	})
	return View[T]{shaped: shaped{c}}, err
}
