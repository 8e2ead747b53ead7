package array

import (
	"fmt"
	"iter"

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
		return el.AccessError(nd.NoAccess)
	}
	for k := 0; k < len(pairs); k += 2 {
		if i, n := pairs[k], pairs[k+1]; uint(i) >= uint(n) {
			return &index.BoundsError{Axis: k / 2, Index: i, Len: n}
		}
	}
	return el.AccessError(nd.NoWrite)
}

// fixed checks that c can be a fixed-rank view, and says how long its first axis
// is for writing.
func checkFixed(c *nd.View, ndim int) (writable int, err error) {
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

// A Vector is a View of one dimension with At and Set that inline.
type Vector[T any] struct{ vector }

// Vector returns v as a Vector. The error wraps [ErrShape] if v has other than one dimension, and [ErrNotDirect] as
// that of [View.Data].
func (v View[T]) Vector() (Vector[T], error) {
	w, err := checkFixed(&v.view, 1)
	if err != nil {
		return Vector[T]{}, err
	}
	d := v.view.Layout.Dim(0)
	return Vector[T]{vector{v.view.P, d.Len, d.Stride, w, v.view.Store}}, nil
}

// Len returns the number of elements.
func (v *Vector[T]) Len() int { return v.n }

// At returns the element at i. It panics if i is out of range.
func (v *Vector[T]) At(i int) T {
	if uint(i) >= uint(v.n) {
		panic(vectorIndex{v.vector, i})
	}
	return strided.Load[T](v.p, i*v.s)
}

// Set sets the element at i to x. It panics as At, and if v is read-only.
func (v *Vector[T]) Set(i int, x T) {
	if uint(i) >= uint(v.w) {
		panic(vectorIndex{v.vector, i})
	}
	strided.Store(v.p, i*v.s, x)
}

// Data returns the memory of v as a slice; see [View.Data]. The error wraps [ErrNotDirect] if the elements do not
// follow one another.
func (v *Vector[T]) Data() ([]T, error) {
	if err := haveRows[T](v.el, v.n, v.s); err != nil {
		return nil, err
	}
	return strided.Slice[T](v.p, v.n), nil
}

// A Matrix is a View of two dimensions with At and Set that inline.
type Matrix[T any] struct{ matrix }

// Matrix returns v as a Matrix; the errors are those of [View.Vector].
func (v View[T]) Matrix() (Matrix[T], error) {
	w, err := checkFixed(&v.view, 2)
	if err != nil {
		return Matrix[T]{}, err
	}
	d, e := v.view.Layout.Dim(0), v.view.Layout.Dim(1)
	return Matrix[T]{matrix{v.view.P, d.Len, e.Len, d.Stride, e.Stride, w, v.view.Store}}, nil
}

// Dims returns the number of rows and of columns.
func (m *Matrix[T]) Dims() (rows, cols int) { return m.n0, m.n1 }

// At returns the element at i, j. It panics if one is out of range.
func (m *Matrix[T]) At(i, j int) T {
	if uint(i) >= uint(m.n0) || uint(j) >= uint(m.n1) {
		panic(matrixIndex{m.matrix, i, j})
	}
	return strided.Load[T](m.p, i*m.s0+j*m.s1)
}

// Set sets the element at i, j to x. It panics as At, and if m is read-only.
func (m *Matrix[T]) Set(i, j int, x T) {
	if uint(i) >= uint(m.w) || uint(j) >= uint(m.n1) {
		panic(matrixIndex{m.matrix, i, j})
	}
	strided.Store(m.p, i*m.s0+j*m.s1, x)
}

// Raw returns the matrix as BLAS and C take one in row-major order: data has row i at data[i*stride : i*stride+cols],
// in the memory of m; the stride counts elements. data ends with the last row, and must not be written to where m is
// read-only. Without elements it is empty, and stride is cols, at least 1. Some of gonum's functions start goroutines,
// whose page faults [mmap.Guard] does not catch: examples/gonum says which.
//
// ok is false, and the rest zero, if the elements of a row do not follow one another in memory, or the rows overlap,
// descend, or are no whole number of elements apart. For a matrix in F order call Raw of v.T().
func (m *Matrix[T]) Raw() (data []T, rows, cols, stride int, ok bool) {
	if m.n0 == 0 || m.n1 == 0 {
		return nil, m.n0, m.n1, max(m.n1, 1), true
	}
	size := strided.Sizeof[T]()
	stride = m.n1
	if m.n0 > 1 && size > 0 { // else no row has a next one
		if m.s0%size != 0 {
			return nil, 0, 0, 0, false
		}
		stride = m.s0 / size
	}
	if m.n1 > 1 && m.s1 != size || stride < m.n1 {
		return nil, 0, 0, 0, false
	}
	return strided.Slice[T](m.p, (m.n0-1)*stride+m.n1), m.n0, m.n1, stride, true
}

// Row returns row i in the memory of m, which must not be written to where m is read-only. ok is false, for every row
// of m or for none, if the elements of a row do not follow one another, as in F order, where the rows of v.T() are
// the columns. It panics if i is out of range.
func (m *Matrix[T]) Row(i int) (row []T, ok bool) {
	if uint(i) >= uint(m.n0) {
		panic(matrixIndex{m.matrix, i, 0})
	}
	return rowAt[T](m.p, i*m.s0, m.n1, m.s1)
}

// Rows iterates over the rows. The error wraps [ErrNotDirect] as for Row.
func (m *Matrix[T]) Rows() (iter.Seq[[]T], error) {
	if err := haveRows[T](m.el, m.n1, m.s1); err != nil {
		return nil, err
	}
	return func(yield func([]T) bool) {
		for i := range m.n0 {
			if row, _ := m.Row(i); !yield(row) {
				return
			}
		}
	}, nil
}

// A Cube is a View of three dimensions with At and Set that inline.
type Cube[T any] struct{ cube }

// Cube returns v as a Cube; the errors are those of [View.Vector].
func (v View[T]) Cube() (Cube[T], error) {
	w, err := checkFixed(&v.view, 3)
	if err != nil {
		return Cube[T]{}, err
	}
	d, e, f := v.view.Layout.Dim(0), v.view.Layout.Dim(1), v.view.Layout.Dim(2)
	return Cube[T]{cube{v.view.P, d.Len, e.Len, f.Len, d.Stride, e.Stride, f.Stride, w, v.view.Store}}, nil
}

// Dims returns the length of the three axes.
func (c *Cube[T]) Dims() (n0, n1, n2 int) { return c.n0, c.n1, c.n2 }

// At returns the element at i, j, k. It panics if one is out of range.
func (c *Cube[T]) At(i, j, k int) T {
	if uint(i) >= uint(c.n0) || uint(j) >= uint(c.n1) || uint(k) >= uint(c.n2) {
		panic(cubeIndex{c.cube, i, j, k})
	}
	return strided.Load[T](c.p, i*c.s0+j*c.s1+k*c.s2)
}

// Set sets the element at i, j, k. It panics as At, and if c is read-only.
func (c *Cube[T]) Set(i, j, k int, x T) {
	if uint(i) >= uint(c.w) || uint(j) >= uint(c.n1) || uint(k) >= uint(c.n2) {
		panic(cubeIndex{c.cube, i, j, k})
	}
	strided.Store(c.p, i*c.s0+j*c.s1+k*c.s2, x)
}

// Row returns the elements i, j, … along the last axis as [Matrix.Row] does. It panics if i or j is out of range.
func (c *Cube[T]) Row(i, j int) (row []T, ok bool) {
	if uint(i) >= uint(c.n0) || uint(j) >= uint(c.n1) {
		panic(cubeIndex{c.cube, i, j, 0})
	}
	return rowAt[T](c.p, i*c.s0+j*c.s1, c.n2, c.s2)
}

// Rows iterates over the rows along the last axis in C order as [Cube.Row] returns them. The error wraps
// [ErrNotDirect] where that has none.
func (c *Cube[T]) Rows() (iter.Seq[[]T], error) {
	if err := haveRows[T](c.el, c.n2, c.s2); err != nil {
		return nil, err
	}
	return func(yield func([]T) bool) {
		for i := range c.n0 {
			for j := range c.n1 {
				if row, _ := c.Row(i, j); !yield(row) {
					return
				}
			}
		}
	}, nil
}
