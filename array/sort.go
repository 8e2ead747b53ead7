package array

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/sorting"
)

// ArgSort returns the indices that sort a, which has one dimension: NumPy's argsort(a, kind="stable"). The least
// element is a[order[0]], and equal elements keep their order. [Array.Take] takes the elements, or rows of another
// array, in this order.
//
// Numbers, bools, text and times have an order. NaN and NaT come last, and -0 equals 0. Complex numbers are ordered by
// their real numbers, then by their imaginary numbers; those with NaN come last. Text is ordered by bytes, or by code
// points.
//
// The error wraps [ErrShape] if a does not have one dimension, and [ErrDType] if its elements have no order: records,
// raw bytes and long doubles.
//
// ArgSort works on all cores, and the time grows in proportion to the number of elements. It needs 16 bytes of memory
// for each element, of which the result takes 8, and 2 MiB for each core. A [Stack] or a [Join] is copied first.
func ArgSort(a Array) ([]int, error) {
	e, err := sortedElements("ArgSort", a.view)
	if err != nil {
		return nil, err
	}
	return sorting.ArgSort(e), nil
}

// sortedElements returns the elements of v, which has one dimension, for package sorting. name is the name of the
// function for error messages.
func sortedElements(name string, v nd.View) (*sorting.Elements, error) {
	v.MustBeSet()
	if n := v.NDim(); n != 1 {
		return nil, fmt.Errorf("%s%w: %s: %d dimensions, want 1; use Ravel", nd.Prefix(v.Store.Mem.Path), ErrShape, name, n)
	}
	if err := checkOrdered(name, v); err != nil {
		return nil, err
	}
	a, ok := v.Plain()
	if !ok {
		v, err := v.Clone(index.C)
		if err != nil {
			return nil, err
		}
		a, _ = v.Plain()
	}
	return sorting.NewElements(a.Piece, a.Store.DType), nil
}

// checkOrdered returns an error that wraps ErrDType if the elements of v have no order.
func checkOrdered(name string, v nd.View) error {
	switch d := v.Store.DType; {
	case sorting.HasOrder(d):
		return nil
	case d.Kind() == dtype.KindStructured:
		return v.DTypeError("%s: records have no order; use a Field: have dtype %v", name, d)
	case d.IsLongDouble():
		return v.DTypeError("%s: cannot sort long doubles; save them from NumPy as float64: have dtype %v", name, d)
	default:
		return v.DTypeError("%s: elements of dtype %v have no order", name, d)
	}
}
