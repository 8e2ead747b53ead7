package array

import (
	"iter"

	"github.com/ndmap/ndmap/internal/strided"
)

// Matrix is a two-dimensional view whose At and Set inline. Its elements are
// direct: native byte order, aligned, no booleans. The zero Matrix has no elements.
type Matrix[T any] struct{ matrix }

// Matrix is v as a Matrix; the errors are those of [View.Vector].
func (v View[T]) Matrix() (Matrix[T], error) {
	w, err := v.fixed(2)
	if err != nil {
		return Matrix[T]{}, err
	}
	d, e := v.lay.Dim(0), v.lay.Dim(1)
	return Matrix[T]{matrix{v.p, d.Len, e.Len, d.Stride, e.Stride, w, v.el}}, nil
}

// Dims is the number of rows and of columns.
func (m *Matrix[T]) Dims() (rows, cols int) { return m.n0, m.n1 }

// At is the element at i, j. It panics if one is out of range.
func (m *Matrix[T]) At(i, j int) T {
	if uint(i) >= uint(m.n0) || uint(j) >= uint(m.n1) {
		panic(matrixIndex{m.matrix, i, j})
	}
	return strided.Load[T](m.p, i*m.s0+j*m.s1)
}

// Set makes x the element at i, j. It panics if one is out of range, and with an
// error that wraps [ErrReadOnly] if the view is read-only.
func (m *Matrix[T]) Set(i, j int, x T) {
	if uint(i) >= uint(m.w) || uint(j) >= uint(m.n1) {
		panic(matrixIndex{m.matrix, i, j})
	}
	strided.Store(m.p, i*m.s0+j*m.s1, x)
}

// Row is row i in the memory of m, which must not be written to where m is
// read-only; see [View.Data]. It panics if i is out of range, and with an error that
// wraps [ErrNotDirect] if the elements of a row do not follow one another in memory,
// as in F order.
func (m *Matrix[T]) Row(i int) []T {
	if uint(i) >= uint(m.n0) {
		panic(matrixIndex{m.matrix, i, 0})
	}
	return row[T](m.el, m.p, i*m.s0, m.n1, m.s1)
}

// Rows iterates over the rows, in the memory of m. It panics as Row does.
func (m *Matrix[T]) Rows() iter.Seq2[int, []T] {
	return func(yield func(int, []T) bool) {
		for i := range m.n0 {
			if !yield(i, m.Row(i)) {
				return
			}
		}
	}
}
