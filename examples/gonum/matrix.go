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
