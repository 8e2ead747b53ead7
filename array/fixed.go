package array

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Vector, Matrix and Cube are views of one, two and three dimensions whose At and
// Set the compiler inlines: bounds checks, a multiplication an axis, and a load.
// What makes that possible is that they panic with a plain copy of themselves and
// of the indices, and leave it to the message to find out what was wrong. Their
// methods have pointer receivers: a copy of eight words for every element would
// cost more than the element.

// shape and strides of a fixed-rank view, without its Go type.
type (
	vector struct {
		p    pointer
		n, s int
		w    int // n, or 0 where writing is refused
		el   *nd.Storage
	}
	matrix struct {
		p      pointer
		n0, n1 int
		s0, s1 int
		w      int // n0, or 0 where writing is refused
		el     *nd.Storage
	}
	cube struct {
		p          pointer
		n0, n1, n2 int
		s0, s1, s2 int
		w          int // n0, or 0 where writing is refused
		el         *nd.Storage
	}
)

// What they panic with when an index is out of range, or writing is refused.
type (
	vectorIndex struct {
		vector
		i int
	}
	matrixIndex struct {
		matrix
		i, j int
	}
	cubeIndex struct {
		cube
		i, j, k int
	}
)

func (e vectorIndex) Unwrap() error { return wrong(e.el, e.i, e.n) }
func (e matrixIndex) Unwrap() error { return wrong(e.el, e.i, e.n0, e.j, e.n1) }
func (e cubeIndex) Unwrap() error   { return wrong(e.el, e.i, e.n0, e.j, e.n1, e.k, e.n2) }

func (e vectorIndex) Error() string { return e.Unwrap().Error() }
func (e matrixIndex) Error() string { return e.Unwrap().Error() }
func (e cubeIndex) Error() string   { return e.Unwrap().Error() }

func (vectorIndex) RuntimeError() {}
func (matrixIndex) RuntimeError() {}
func (cubeIndex) RuntimeError()   {}

// wrong returns the error of pairs of index and length: one is out of range,
// or else the view is read-only or the zero value.
func wrong(el *nd.Storage, pairs ...int) error {
	if el == nil {
		return el.Refusal(nd.NoAccess)
	}
	for k := 0; k < len(pairs); k += 2 {
		if i, n := pairs[k], pairs[k+1]; uint(i) >= uint(n) {
			return &index.BoundsError{Axis: k / 2, Index: i, Len: n}
		}
	}
	return el.Refusal(nd.NoWrite)
}

// fixed checks that c can be a fixed-rank view, and says how long its first axis
// is for writing.
func checkFixed(c *nd.Array, ndim int) (writable int, err error) {
	if c.NDim() != ndim {
		return 0, fmt.Errorf("%s%w: %d dimensions, want %d", nd.Prefix(c.Store.Mem.Path), ErrShape, c.NDim(), ndim)
	}
	if err := c.CheckInPlace(); err != nil {
		return 0, err
	}
	if c.Write == nd.NoWrite {
		return 0, nil
	}
	return c.Layout.Len(0), nil
}

// rowAt returns n elements from off bytes after p on, stride bytes apart, as a slice. ok is false
// where there is none.
func rowAt[T any](p pointer, off, n, stride int) (row []T, ok bool) {
	if !isRow[T](n, stride) {
		return nil, false
	}
	return strided.Slice[T](strided.Add(p, off), n), true
}

// isRow reports whether n elements that are stride bytes apart are a slice.
func isRow[T any](n, stride int) bool { return n <= 1 || stride == strided.Sizeof[T]() }

// haveRows returns an error where rowAt returns false: elements along the last axis are stride
// bytes apart.
func haveRows[T any](el *nd.Storage, n, stride int) error {
	if isRow[T](n, stride) {
		return nil
	}
	return fmt.Errorf("%s%w: those along the last axis are %d bytes apart, not %d; take At, the view's Blocks, or a Clone in C order, which is a copy",
		nd.Prefix(el.Mem.Path), ErrNotDirect, stride, strided.Sizeof[T]())
}
