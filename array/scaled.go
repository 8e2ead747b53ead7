package array

import (
	"fmt"
	"math"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Scaled returns a as a View[T] in the same memory, whose elements are those of a times scale plus offset: images less
// their mean over their deviation, or numbers stored as small integers (scale_factor and add_offset in NetCDF files).
// It is a [Cast] that multiplies and adds, whatever reads the elements; x is set as (x-offset)/scale. What takes an
// Array takes that of [View.Clone], which has the scaled elements in memory, or of a file that they were copied to by
// [View.CopyFrom]: [View.Array] of a scaled view panics. A number that stands for a missing one (_FillValue) is scaled
// as the others are: make it NaN in what is read, whose reductions have SkipNaN.
//
// What becomes an integer, in either direction, is rounded to the nearest, ties to even, and out of range becomes the
// nearest that there is; NaN becomes 0. The arithmetic is that of float64, each step rounded, but float32 to read
// floats of up to 32 bits or integers of up to 16 as a float of up to 32, if float32 has room for scale and offset.
// So the bits are those of NumPy's a.astype(T)*T(scale) + T(offset) for floats T of 32 bits, of such elements, and of
// 64.
//
// The error is for a scale that is 0, NaN or infinite, an offset that is NaN or infinite, and that of Cast for elements
// or a T that are not numbers; complex ones are not scaled. Access to elements allocates nothing.
func Scaled[T any](a Array, scale, offset float64) (View[T], error) {
	have := a.DType()
	want, err := dtype.Of[T]()
	isReal := func(d dtype.DType) bool { return d.IsNumber() && d.Kind() != dtype.KindComplex }
	switch {
	case err != nil:
		return View[T]{}, err
	case !isReal(have) || !isReal(want):
		if _, err := Cast[T](a); err != nil {
			return View[T]{}, err
		}
		return View[T]{}, &DTypeError{Path: a.view.Store.Mem.Path, Have: have, Want: want, Msg: "only real numbers are scaled"}
	case scale == 0 || math.IsInf(scale, 0) || math.IsNaN(scale):
		return View[T]{}, fmt.Errorf("%sscaled by %v; want a finite scale that is not 0", nd.Prefix(a.view.Store.Mem.Path), scale)
	case math.IsInf(offset, 0) || math.IsNaN(offset):
		return View[T]{}, fmt.Errorf("%sscaled with an offset of %v; want a finite one", nd.Prefix(a.view.Store.Mem.Path), offset)
	}
	c, err := a.view.Retype(func(c nd.Array) (nd.Array, error) {
		load, save, err := elem.Scaled(want, c.Store.DType, scale, offset)
		return c.WithNumbers(want, strided.Alignof[T](), load, save), err
	})
	return View[T]{shaped: shaped{c}}, err
}
