// Gonum fits the columns of a .npy file, which may be larger than memory, by least squares: it
// prints by what to multiply the others so that they add up to the last one as nearly as can be.
// Gonum computes on the mapped file itself; elements that are not float64 in the byte order of
// the machine are converted, some rows at a time.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gonum FILE")
	}
	f, err := array.Open(os.Args[1], mmap.ReadOnly)
	check(err)
	defer f.Close()
	v, err := array.Cast[float64](f.Array) // any real numbers
	check(err)
	c, err := leastSquares(v)
	check(err)
	fmt.Printf("%.6g\n", mat.Formatted(c.T()))
}

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
	return mat.NewDense(v.Dim(0), v.Dim(1), data)
}

// leastSquares returns the c for which x·c comes closest to y, where y is the last column of v and
// x the others: the solution of xᵀx·c = xᵀy, both of which are in the product of vᵀ and v.
func leastSquares(v array.View[float64]) (*mat.Dense, error) {
	if v.NDim() != 2 || v.Dim(1) < 2 {
		return nil, fmt.Errorf("%v is not the shape of a matrix with two columns or more", v.Shape())
	}
	k := v.Dim(1) - 1
	vv := mat.NewDense(k+1, k+1, nil)
	for lo := 0; lo < v.Dim(0); lo += 4096 {
		rows, err := v.Select(index.Range(lo, lo+4096))
		check(err)
		m := matrix(rows)
		var part mat.Dense
		part.Mul(m.T(), m)
		vv.Add(vv, &part)
	}
	var c mat.Dense
	return &c, c.Solve(vv.Slice(0, k, 0, k), vv.Slice(0, k, k, k+1))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
