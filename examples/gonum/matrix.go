package main

import (
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// blasMatrix returns v as a BLAS matrix without copying it, so that writes by BLAS go to the file. ok is false unless
// the rows of v are contiguous float64s.
func blasMatrix(v array.View[float64]) (g blas64.General, ok bool) {
	if m, err := v.Matrix(); err == nil {
		g.Data, g.Rows, g.Cols, g.Stride, ok = m.Raw()
	}
	return g, ok
}

// matrix returns v as a gonum matrix, without a copy if its layout in C or F order permits that.
func matrix(v array.View[float64]) mat.Matrix {
	var d mat.Dense
	if g, ok := blasMatrix(v); ok {
		d.SetRawMatrix(g)
		return &d
	}
	if g, ok := blasMatrix(v.T()); ok {
		d.SetRawMatrix(g)
		return d.T()
	}
	data := make([]float64, 0, v.Size())
	for block := range v.Blocks(index.C) {
		data = append(data, block...)
	}
	return mat.NewDense(v.Len(0), v.Len(1), data)
}

// A lazyMatrix implements gonum's Matrix for a view of any layout, byte order and, through array.Cast, dtype, without
// a copy. Each element is read when gonum asks for it. Use a lazy matrix for data that does not fit in memory, or if
// only a few elements are needed. BLAS does not accept such matrices.
type lazyMatrix struct{ v array.View[float64] }

func (m lazyMatrix) Dims() (r, c int)        { return m.v.Len(0), m.v.Len(1) }
func (m lazyMatrix) At(i, j int) float64     { return m.v.At(i, j) }
func (m lazyMatrix) T() mat.Matrix           { return lazyMatrix{m.v.T()} }
func (m lazyMatrix) Set(i, j int, x float64) { m.v.SetAt(x, i, j) }
