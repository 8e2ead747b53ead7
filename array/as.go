package array

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// As returns a as a View[T], with the same elements in the same memory. T must be the
// Go type of the dtype of a; byte order and alignment may be any. The error is a
// *[DTypeError] with the two dtypes, and for structs which field differs and what to do; for a T that has no
// dtype it is that of [dtype.Of]. [Cast] has numbers of any dtype as T.
//
//	bool                       bool
//	int8, int16, int32, int64  i1, i2, i4, i8; int64 also M8 and m8
//	uint8 … uint64             u1, u2, u4, u8
//	int, uint                  those of their size
//	dtype.Half                 f2
//	dtype.BF16                 bfloat16
//	dtype.F8E4M3FN             float8_e4m3fn
//	dtype.F8E5M2               float8_e5m2
//	float32, float64           f4, f8
//	complex64, complex128      c8, c16
//	[n]byte                    Sn, Vn, and the long doubles: the raw bytes
//	[n]uint32                  Un: the code points
//	struct                     structured: by the names of the fields
//
// A struct has the fields of the array that are named by the tags `npy:"name"`, or as in Go,
// wherever they are in an element: in any order, packed or aligned, in either byte order.
// Fields that are unexported, are called _ or have the tag `npy:"-"` have none; see
// [dtype.Of], also for tags with a dtype. A field of the array that the struct
// leaves out keeps its bytes when an element is set. A field may be a uint8 where the array
// has a bool: it is the byte, of which NumPy writes only 0 and 1, and so should a program.
// Where the struct has all fields at the offsets of the array, in the byte order of the
// machine and without booleans, and is as long, its elements are direct: [View.Data] returns
// them as they are.
//
// For numbers As allocates nothing, but for the parts of a [Stack].
func As[T any](a Array) (View[T], error) {
	a.view.mustBeSet()
	want, err := dtype.Of[T]()
	if err != nil {
		return View[T]{}, err
	}
	if a.view.el.stack == nil {
		c, err := a.view.typed(want, strided.Alignof[T]())
		return View[T]{shaped{c}}, err
	}
	c, err := a.view.mapParts(func(c view) (view, error) { return c.typed(want, strided.Alignof[T]()) })
	return View[T]{shaped{c}}, err
}

// typed returns c with the access to its elements as the Go type with the dtype want,
// which has that alignment.
func (c view) typed(want dtype.DType, align int) (view, error) {
	el := c.el
	if !el.dtype.IsNumber() || el.dtype.Kind() != want.Kind() || el.size != want.ItemSize() {
		with := *el
		if err := with.setGoType(want); err != nil {
			return view{}, &DTypeError{Path: el.mem.Path, Have: el.dtype, Want: want, Msg: err.Error()}
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
