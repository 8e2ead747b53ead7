package index

import (
	"math"
	"slices"
)

// Dim is one dimension: its length, and the distance in bytes from one element
// to the next, which may be zero or negative.
type Dim struct{ Len, Stride int }

// Layout says where the elements of an array lie relative to the first one: a
// length and a stride for each dimension, outermost first. The zero value has
// no dimensions and so one element.
//
// A Layout is an immutable value of three words. Compare with [Layout.Equal].
// The stride of an axis of length 0 or 1 is never used and may be anything.
type Layout struct {
	// dims is shared between layouts, so nobody writes to it once a layout has
	// it. The product of the non-zero lengths fits an int, and so does the sum
	// of abs(Stride)*(Len-1) over the axes longer than 1; every method relies
	// on that and keeps it so.
	dims []Dim
}

// NewLayout returns the layout of a contiguous array, with the strides that
// NumPy gives a new array, where an axis of length 0 counts as 1. It
// refuses what [Size] refuses, and orders other than C and F. It allocates once, for
// no dimensions never.
func NewLayout(shape []int, itemsize int, order Order) (Layout, error) {
	if order > F {
		return Layout{}, badOrder(order)
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

// Strided returns the layout with the given shape and strides. Strides may be
// zero, negative or overlapping; whether they stay inside some memory is for
// [Layout.Bounds] to tell. The error, which wraps [ErrShape], refuses shapes
// that [Size] refuses for one-byte items, a different number of strides, and
// strides so large that the distance between two elements may overflow an int,
// where, as in Size, an axis of length 0 counts as 1. It allocates once, for no
// dimensions never.
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
	reach, ok := uint(0), true // from the first element to the farthest corners
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

// Dim returns the length and stride of an axis. It panics, as a slice does, if
// there is no such axis; axes do not count from the end here.
func (l Layout) Dim(axis int) Dim { return l.dims[axis] }

// Len returns the length of an axis. It panics as [Layout.Dim] does.
func (l Layout) Len(axis int) int { return l.dims[axis].Len }

// Stride returns the stride of an axis in bytes. It panics as [Layout.Dim] does.
func (l Layout) Stride(axis int) int { return l.dims[axis].Stride }

// Shape returns the lengths in a new slice; see [Layout.AppendShape].
func (l Layout) Shape() []int { return l.AppendShape(make([]int, 0, len(l.dims))) }

// AppendShape appends the lengths to dst. It allocates only to grow dst.
func (l Layout) AppendShape(dst []int) []int {
	for _, d := range l.dims {
		dst = append(dst, d.Len)
	}
	return dst
}

// Strides returns the strides in bytes in a new slice.
func (l Layout) Strides() []int {
	s := make([]int, len(l.dims))
	for k, d := range l.dims {
		s[k] = d.Stride
	}
	return s
}

// Size returns the number of elements. It never overflows: no layout has more
// elements than an int can count.
func (l Layout) Size() int {
	n := 1
	for _, d := range l.dims {
		n *= d.Len
	}
	return n
}

// Equal reports whether l and m have the same lengths and the same strides,
// also on axes of length 0 and 1, where strides mean nothing.
func (l Layout) Equal(m Layout) bool { return slices.Equal(l.dims, m.dims) }

// SameShape reports whether l and m have the same lengths.
func (l Layout) SameShape(m Layout) bool {
	return slices.EqualFunc(l.dims, m.dims, func(a, b Dim) bool { return a.Len == b.Len })
}

// String returns the lengths and strides, as in "(2, 3) strides (24, 8)".
func (l Layout) String() string {
	return tuple(l.Shape()) + " strides " + tuple(l.Strides())
}

// Offset returns the distance in bytes from the first element to the one at
// idx. It allocates nothing. It panics with a [*BoundsError] if idx has the
// wrong length or is out of range; indices do not count from the end here.
func (l Layout) Offset(idx ...int) int {
	if len(idx) != len(l.dims) {
		panic(&BoundsError{Index: len(idx), Len: len(l.dims), kind: badCount})
	}
	off := 0
	for k, d := range l.dims {
		off += check(k, idx[k], d.Len) * d.Stride
	}
	return off
}

// Index takes the first axis at i: it returns the layout of the other axes and
// the offset in bytes of its first element. It allocates nothing. It panics
// with a [*BoundsError] if i is out of range or if there is no axis; i does
// not count from the end here.
func (l Layout) Index(i int) (Layout, int) {
	if len(l.dims) == 0 || uint(i) >= uint(l.dims[0].Len) {
		panic(l.badIndex(i))
	}
	return Layout{l.dims[1:]}, i * l.dims[0].Stride
}

// badIndex is what Index panics with.
func (l Layout) badIndex(i int) error {
	if len(l.dims) == 0 {
		return &BoundsError{Index: 1, kind: badCount}
	}
	return &BoundsError{Index: i, Len: l.dims[0].Len}
}

// empty reports whether there are no elements.
func (l Layout) empty() bool {
	for _, d := range l.dims {
		if d.Len == 0 {
			return true
		}
	}
	return false
}

// Bounds returns the range of bytes that the elements occupy, from lo up to but
// not including hi, relative to the first element: lo is at most 0 and hi at
// least the item size. Without elements it returns 0, 0. If hi would overflow
// it is the largest int. A memory of n bytes whose byte p is the first element
// holds them all if p+lo >= 0 and hi <= n-p.
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
