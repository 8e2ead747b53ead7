package array

import (
	"github.com/ndmap/ndmap/internal/nd"
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
	a.view.MustBeSet()
	want, err := typeOf[T]()
	if err != nil {
		return View[T]{}, err
	}
	if a.view.Store.IsWhole() {
		c, err := a.view.WithGoType(want, strided.Alignof[T]())
		return View[T]{shaped: shaped{c}}, err
	}
	c, err := a.view.Retype(func(c nd.Array) (nd.Array, error) { return c.WithGoType(want, strided.Alignof[T]()) })
	return View[T]{shaped: shaped{c}}, err
}
