package array

import (
	"fmt"
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Vector, Matrix and Cube are views of one, two and three dimensions. The compiler inlines their At and SetAt: bounds
// checks, a multiplication for each axis, and a load. To stay small enough for that, At and SetAt panic with a copy of
// the view and the indices, and the Error method of the panic value finds the index that is out of range. The methods
// have pointer receivers, because copying the view for every element would cost more than the access.

// A fixedView is a view of one to three dimensions without its Go type. A vector uses the last axis and a matrix the
// last two; the axes before them have length 1.
type fixedView struct {
	p          pointer
	n0, n1, n2 int
	s0, s1, s2 int // strides in bytes
	writeLen   int // bound for SetAt: length of the first axis of the view, or 0 if read-only
	ndim       int
	store      *nd.Storage
}

// newFixedView returns c as a view of ndim dimensions.
func newFixedView(c *nd.View, ndim int) (fixedView, error) {
	if c.NDim() != ndim {
		return fixedView{}, fmt.Errorf("%s%w: %d dimensions, want %d", nd.Prefix(c.Store.Mem.Path), ErrShape, c.NDim(), ndim)
	}
	if err := c.CheckInPlace(); err != nil {
		return fixedView{}, err
	}
	d := [3]index.Dim{{Len: 1}, {Len: 1}, {Len: 1}}
	for k := range ndim {
		d[3-ndim+k] = c.Layout.Dim(k)
	}
	f := fixedView{c.P, d[0].Len, d[1].Len, d[2].Len, d[0].Stride, d[1].Stride, d[2].Stride, 0, ndim, c.Store}
	if c.Write != nd.NoWrite {
		f.writeLen = c.Layout.Len(0)
	}
	return f, nil
}

// fixedRow returns the elements i, j, … along the last axis as a slice. ok is false if they are not next to each
// other in memory. It panics if i or j is out of range.
func fixedRow[T any](f *fixedView, i, j int) (row []T, ok bool) {
	if uint(i) >= uint(f.n0) || uint(j) >= uint(f.n1) {
		panic(fixedIndexPanic{*f, [3]int{i, j, 0}})
	}
	if !hasRows[T](f) {
		return nil, false
	}
	return strided.Slice[T](strided.Add(f.p, i*f.s0+j*f.s1), f.n2), true
}

// fixedRows iterates over the rows of f in C order. For the error see checkRows.
func fixedRows[T any](f *fixedView) (iter.Seq[[]T], error) {
	if err := checkRows[T](f); err != nil {
		return nil, err
	}
	return func(yield func([]T) bool) {
		for i := range f.n0 {
			for j := range f.n1 {
				if !yield(strided.Slice[T](strided.Add(f.p, i*f.s0+j*f.s1), f.n2)) {
					return
				}
			}
		}
	}, nil
}

// hasRows reports whether the elements along the last axis are next to each other in memory, as in a slice.
func hasRows[T any](f *fixedView) bool { return f.n2 <= 1 || f.s2 == strided.Sizeof[T]() }

// checkRows returns an error unless hasRows.
func checkRows[T any](f *fixedView) error {
	if hasRows[T](f) {
		return nil
	}
	return fmt.Errorf("%s%w: elements along the last axis are %d bytes apart, not %d; use At, the view's Blocks, or a Clone in C order, which is a copy",
		nd.Prefix(f.store.Mem.Path), ErrNotDirect, f.s2, strided.Sizeof[T]())
}

// A fixedIndexPanic is the value of the panic for an index that is out of range, or for writing to a read-only view.
type fixedIndexPanic struct {
	fixedView
	indices [3]int
}

// Unwrap returns a *index.BoundsError for the first index that is out of range, or else the error of the access.
func (e fixedIndexPanic) Unwrap() error {
	if e.store == nil {
		return e.store.AccessError(nd.NoAccess)
	}
	for k, n := range [...]int{e.n0, e.n1, e.n2} {
		if i := e.indices[k]; uint(i) >= uint(n) {
			return &index.BoundsError{Axis: k - (3 - e.ndim), Index: i, Len: n}
		}
	}
	return e.store.AccessError(nd.NoWrite)
}

func (e fixedIndexPanic) Error() string { return e.Unwrap().Error() }
func (fixedIndexPanic) RuntimeError()   {}

// A Vector is a View of one dimension; the compiler inlines its At and SetAt.
type Vector[T any] struct{ fixedView }

// Vector returns v as a Vector, in the same memory. The error wraps [ErrShape] if v does not have one dimension, and
// [ErrNotDirect] if its elements cannot be accessed in place; see [View.Data].
func (v View[T]) Vector() (Vector[T], error) {
	f, err := newFixedView(&v.view, 1)
	return Vector[T]{f}, err
}

// Len returns the number of elements.
func (v *Vector[T]) Len() int { return v.n2 }

// At returns the element at i. It panics if i is out of range.
func (v *Vector[T]) At(i int) T {
	if uint(i) >= uint(v.n2) {
		panic(fixedIndexPanic{v.fixedView, [3]int{0, 0, i}})
	}
	return strided.Load[T](v.p, i*v.s2)
}

// SetAt sets the element at i to x. It panics if i is out of range or v is read-only.
func (v *Vector[T]) SetAt(x T, i int) {
	if uint(i) >= uint(v.writeLen) {
		panic(fixedIndexPanic{v.fixedView, [3]int{0, 0, i}})
	}
	strided.Store(v.p, i*v.s2, x)
}

// Data returns the memory of v as a slice; see [View.Data]. The error wraps [ErrNotDirect] if the elements are not next
// to each other in memory.
func (v *Vector[T]) Data() ([]T, error) {
	if err := checkRows[T](&v.fixedView); err != nil {
		return nil, err
	}
	return strided.Slice[T](v.p, v.n2), nil
}

// A Matrix is a View of two dimensions; the compiler inlines its At and SetAt.
type Matrix[T any] struct{ fixedView }

// Matrix returns v as a Matrix, in the same memory, with the errors of [View.Vector] for two dimensions.
func (v View[T]) Matrix() (Matrix[T], error) {
	f, err := newFixedView(&v.view, 2)
	return Matrix[T]{f}, err
}

// Dims returns the number of rows and of columns.
func (m *Matrix[T]) Dims() (rows, cols int) { return m.n1, m.n2 }

// At returns the element at i, j. It panics if an index is out of range.
func (m *Matrix[T]) At(i, j int) T {
	if uint(i) >= uint(m.n1) || uint(j) >= uint(m.n2) {
		panic(fixedIndexPanic{m.fixedView, [3]int{0, i, j}})
	}
	return strided.Load[T](m.p, i*m.s1+j*m.s2)
}

// SetAt sets the element at i, j to x. It panics if an index is out of range or m is read-only.
func (m *Matrix[T]) SetAt(x T, i, j int) {
	if uint(i) >= uint(m.writeLen) || uint(j) >= uint(m.n2) {
		panic(fixedIndexPanic{m.fixedView, [3]int{0, i, j}})
	}
	strided.Store(m.p, i*m.s1+j*m.s2, x)
}

// Raw returns the matrix in the row-major form that BLAS and C take: row i is data[i*stride : i*stride+cols], in the
// memory of m, which must not be written to if m is read-only. ok is false if the elements of a row are not next to
// each other, or if the rows overlap, descend, or are not a whole number of elements apart. For a matrix in F order
// call Raw of v.T(). Some functions of gonum start goroutines, whose page faults [mmap.Guard] does not catch:
// examples/gonum lists them.
func (m *Matrix[T]) Raw() (data []T, rows, cols, stride int, ok bool) {
	if m.n1 == 0 || m.n2 == 0 {
		return nil, m.n1, m.n2, max(m.n2, 1), true
	}
	size := strided.Sizeof[T]()
	stride = m.n2
	if m.n1 > 1 && size > 0 { // a single row may have any stride
		if m.s1%size != 0 {
			return nil, 0, 0, 0, false
		}
		stride = m.s1 / size
	}
	if !hasRows[T](&m.fixedView) || stride < m.n2 {
		return nil, 0, 0, 0, false
	}
	return strided.Slice[T](m.p, (m.n1-1)*stride+m.n2), m.n1, m.n2, stride, true
}

// Row returns row i in the memory of m, which must not be written to if m is read-only. ok is false, for every row, if
// the elements of a row are not next to each other, as in F order. It panics if i is out of range.
func (m *Matrix[T]) Row(i int) (row []T, ok bool) { return fixedRow[T](&m.fixedView, 0, i) }

// Rows iterates over the rows; see [Matrix.Row]. The error wraps [ErrNotDirect] if the elements of a row are not
// contiguous.
func (m *Matrix[T]) Rows() (iter.Seq[[]T], error) { return fixedRows[T](&m.fixedView) }

// A Cube is a View of three dimensions; the compiler inlines its At and SetAt. Use it to read single elements of
// volumes and images in a loop, which takes [View.At] three times as long.
type Cube[T any] struct{ fixedView }

// Cube returns v as a Cube, in the same memory, with the errors of [View.Vector] for three dimensions.
func (v View[T]) Cube() (Cube[T], error) {
	f, err := newFixedView(&v.view, 3)
	return Cube[T]{f}, err
}

// Dims returns the length of the three axes.
func (c *Cube[T]) Dims() (n0, n1, n2 int) { return c.n0, c.n1, c.n2 }

// At returns the element at i, j, k. It panics if an index is out of range.
func (c *Cube[T]) At(i, j, k int) T {
	if uint(i) >= uint(c.n0) || uint(j) >= uint(c.n1) || uint(k) >= uint(c.n2) {
		panic(fixedIndexPanic{c.fixedView, [3]int{i, j, k}})
	}
	return strided.Load[T](c.p, i*c.s0+j*c.s1+k*c.s2)
}

// SetAt sets the element at i, j, k to x. It panics if an index is out of range or c is read-only.
func (c *Cube[T]) SetAt(x T, i, j, k int) {
	if uint(i) >= uint(c.writeLen) || uint(j) >= uint(c.n1) || uint(k) >= uint(c.n2) {
		panic(fixedIndexPanic{c.fixedView, [3]int{i, j, k}})
	}
	strided.Store(c.p, i*c.s0+j*c.s1+k*c.s2, x)
}

// Row returns the elements i, j, … along the last axis as [Matrix.Row] does. It panics if i or j is out of range.
func (c *Cube[T]) Row(i, j int) (row []T, ok bool) { return fixedRow[T](&c.fixedView, i, j) }

// Rows iterates over the rows along the last axis in C order; see [Cube.Row]. The error wraps [ErrNotDirect] if the
// elements of a row are not next to each other.
func (c *Cube[T]) Rows() (iter.Seq[[]T], error) { return fixedRows[T](&c.fixedView) }
