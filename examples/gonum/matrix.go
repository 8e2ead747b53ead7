package main

import (
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// general returns v as BLAS takes a matrix, without a copy: what BLAS writes is in the file. It
// is false where the elements of a row are not float64s that follow one another in memory.
func general(v array.View[float64]) (g blas64.General, ok bool) {
	if m, err := v.Matrix(); err == nil {
		g.Data, g.Rows, g.Cols, g.Stride, ok = m.Raw()
	}
	return g, ok
}

// matrix returns v as gonum's, in C or F order without a copy where its elements allow it.
func matrix(v array.View[float64]) mat.Matrix {
	var d mat.Dense
	if g, ok := general(v); ok {
		d.SetRawMatrix(g)
		return &d
	}
	if g, ok := general(v.T()); ok {
		d.SetRawMatrix(g)
		return d.T()
	}
	data := make([]float64, 0, v.Size())
	for block := range v.Blocks(index.C) {
		data = append(data, block...)
	}
	return mat.NewDense(v.Len(0), v.Len(1), data)
}

// A lazy matrix is a view as gonum's Matrix, of any layout, byte order and dtype (by array.Cast),
// without a copy: each element is read when gonum asks for it. It is for what does not fit in
// memory, or of which little is used; BLAS takes no such matrix.
type lazy struct{ v array.View[float64] }

func (m lazy) Dims() (r, c int)        { return m.v.Len(0), m.v.Len(1) }
func (m lazy) At(i, j int) float64     { return m.v.At(i, j) }
func (m lazy) T() mat.Matrix           { return lazy{m.v.T()} }
func (m lazy) Set(i, j int, x float64) { m.v.SetAt(x, i, j) }
