package index

import (
	"math"
	"slices"
)

// Dim is one dimension of a layout: its length, and its stride, the distance in bytes from one
// element to the next. The stride may be zero or negative.
type Dim struct{ Len, Stride int }

// Layout describes where the elements of an array lie relative to the first element: a length and a
// stride for each dimension, outermost first. The zero value has no dimensions, and therefore one
// element.
//
// A Layout is an immutable value of three words. Compare layouts with [Layout.Equal]. The stride of
// an axis of length 0 or 1 is never used and may have any value.
type Layout struct {
	// dims is shared between layouts: it is never modified once a layout uses it. The product of
	// the non-zero lengths fits an int, and the sum of abs(Stride)*(Len-1) over the axes longer
	// than 1 fits an int. Every method relies on both, and preserves both.
	dims []Dim
}

// NewLayout returns the layout of a contiguous array, with the strides that NumPy gives a new
// array. For the strides an axis of length 0 counts as 1.
//
// The error wraps [ErrShape] if [Size] refuses the shape and item size, or if the order is not [C]
// or [F]. NewLayout allocates once, and not at all for no dimensions.
func NewLayout(shape []int, itemsize int, order Order) (Layout, error) {
	if order > F {
		return Layout{}, orderError(order)
	}
	if _, _, err := Size(shape, itemsize); err != nil {
		return Layout{}, err
	}
	return contiguous(shape, itemsize, order), nil
}

func contiguous(shape []int, itemsize int, order Order) Layout {
	if len(shape) == 0 {
		return Layout{}
	}
	dims := make([]Dim, len(shape))
	stride := itemsize
	for i := range shape {
		k := len(shape) - 1 - i
		if order == F {
			k = i
		}
		dims[k] = Dim{shape[k], stride}
		stride *= max(shape[k], 1)
	}
	return Layout{dims}
}

// Strided returns the layout with the given shape and strides, in bytes.
//
// Strides may be zero or negative, and elements may overlap. [Layout.Bounds] tells whether the
// elements stay within some memory.
//
// The error wraps [ErrShape] if [Size] refuses the shape for one-byte items, if the number of
// strides differs from the number of lengths, or if the distance between two elements may overflow
// an int. As in Size, an axis of length 0 counts as 1. Strided allocates once, and not at all for
// no dimensions.
func Strided(shape, strides []int) (Layout, error) {
	if len(shape) != len(strides) {
		return Layout{}, shapeError("got " + plural(len(strides), "stride", "strides") + " for " + plural(len(shape),
			"dimension", "dimensions"))
	}
	if _, _, err := Size(shape, 1); err != nil {
		return Layout{}, err
	}
	if len(shape) == 0 {
		return Layout{}, nil
	}
	reach, ok := uint(0), true // the bytes from the first element to the farthest corners
	dims := make([]Dim, len(shape))
	for k, n := range shape {
		dims[k] = Dim{n, strides[k]}
		if n > 1 && ok {
			var r uint
			r, ok = mul(abs(strides[k]), uint(n-1))
			reach += r
			ok = ok && reach <= math.MaxInt
		}
	}
	if !ok {
		return Layout{}, shapeError("shape " + tuple(shape) + " with strides " + tuple(strides) + " overflows int")
	}
	return Layout{dims}, nil
}

// NDim returns the number of dimensions.
func (l Layout) NDim() int { return len(l.dims) }

// Dim returns the length and stride of an axis. It panics with a [*BoundsError] if axis is out of
// range; negative axes do not count from the end.
func (l Layout) Dim(axis int) Dim {
	if uint(axis) >= uint(len(l.dims)) {
		panic(&BoundsError{Index: axis, Len: len(l.dims), kind: badAxis})
	}
	return l.dims[axis]
}

// Len returns the length of an axis. It panics like [Layout.Dim].
func (l Layout) Len(axis int) int { return l.Dim(axis).Len }

// Stride returns the stride of an axis in bytes. It panics like [Layout.Dim].
func (l Layout) Stride(axis int) int { return l.Dim(axis).Stride }

// Shape returns the lengths of the axes in a new slice; see [Layout.AppendShape].
func (l Layout) Shape() []int { return l.AppendShape(make([]int, 0, len(l.dims))) }

// AppendShape appends the lengths of the axes to dst and returns the extended slice. It allocates
// only to grow dst.
func (l Layout) AppendShape(dst []int) []int {
	for _, d := range l.dims {
		dst = append(dst, d.Len)
	}
	return dst
}

// Strides returns the strides of the axes, in bytes, in a new slice.
func (l Layout) Strides() []int {
	s := make([]int, len(l.dims))
	for k, d := range l.dims {
		s[k] = d.Stride
	}
	return s
}

// Size returns the number of elements. It never overflows: the number of elements of every layout
// fits an int.
func (l Layout) Size() int {
	n := 1
	for _, d := range l.dims {
		n *= d.Len
	}
	return n
}

// Equal reports whether l and m have the same lengths and the same strides. It compares the strides
// of axes of length 0 and 1 too, although they are never used.
func (l Layout) Equal(m Layout) bool { return slices.Equal(l.dims, m.dims) }

// SameShape reports whether l and m have the same lengths.
func (l Layout) SameShape(m Layout) bool {
	return slices.EqualFunc(l.dims, m.dims, func(a, b Dim) bool { return a.Len == b.Len })
}

// String returns the lengths and strides, for example "(2, 3) strides (24, 8)".
func (l Layout) String() string {
	return tuple(l.Shape()) + " strides " + tuple(l.Strides())
}

// Offset returns the distance in bytes from the first element to the element at idx.
//
// It panics with a [*BoundsError] if idx has the wrong length or an index is out of range; negative
// indices do not count from the end. It does not allocate.
func (l Layout) Offset(idx ...int) int {
	if len(idx) != len(l.dims) {
		panic(&BoundsError{Index: len(idx), Len: len(l.dims), kind: badCount})
	}
	off := 0
	for k, d := range l.dims {
		off += checkIndex(k, idx[k], d.Len) * d.Stride
	}
	return off
}

// Index selects index i of the first axis. It returns the layout of the remaining axes and the
// offset in bytes of its first element.
//
// It panics with a [*BoundsError] if i is out of range or l has no axes; a negative i does not
// count from the end. It does not allocate.
func (l Layout) Index(i int) (Layout, int) {
	if len(l.dims) == 0 || uint(i) >= uint(l.dims[0].Len) {
		panic(l.indexError(i))
	}
	return Layout{l.dims[1:]}, i * l.dims[0].Stride
}

// indexError returns the panic value of Index.
func (l Layout) indexError(i int) error {
	if len(l.dims) == 0 {
		return &BoundsError{Index: 1, kind: badCount}
	}
	return &BoundsError{Index: i, Len: l.dims[0].Len}
}

// empty reports whether l has no elements.
func (l Layout) empty() bool {
	for _, d := range l.dims {
		if d.Len == 0 {
			return true
		}
	}
	return false
}

// Bounds returns the range of bytes [lo, hi) that the elements occupy, relative to the first
// element.
//
// lo is at most 0, and hi is at least the item size. If hi would overflow, it is the largest int.
// For a layout without elements both are 0. A memory of n bytes that has the first element at byte
// p contains all elements if p+lo >= 0 and hi <= n-p.
func (l Layout) Bounds(itemsize int) (lo, hi int) {
	if l.empty() {
		return 0, 0
	}
	for _, d := range l.dims {
		if d.Stride < 0 {
			lo += (d.Len - 1) * d.Stride
		} else {
			hi += (d.Len - 1) * d.Stride
		}
	}
	if hi > math.MaxInt-itemsize {
		return lo, math.MaxInt
	}
	return lo, hi + itemsize
}
