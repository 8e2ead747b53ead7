package array

import (
	"iter"

	"github.com/ndmap/ndmap/internal/strided"
)

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
