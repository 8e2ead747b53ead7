package main

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestLazy tests that gonum computes the same results from lazy matrices as from copies, for all layouts and several
// dtypes.
func TestLazy(t *testing.T) {
	for _, d := range []string{"<f8", ">f8", "<f2", "bfloat16", ">i4"} {
		f, err := array.New(dtype.MustParse(d), index.F, 7, 11)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		v, err := array.Cast[float64](f.Array)
		if err != nil {
			t.Fatal(err)
		}
		v, err = v.Select(index.Every(-2), index.Range(1, 9))
		if err != nil {
			t.Fatal(err)
		}
		var m mat.Mutable = lazyMatrix{v}
		rows, columns := m.Dims()
		for i := range rows {
			for j := range columns {
				m.Set(i, j, float64(i*i-3*j))
			}
		}
		dense := mat.DenseCopyOf(m)
		var got, want mat.Dense
		got.Mul(m, m.T())
		want.Mul(dense, dense.T())
		if !mat.Equal(m, dense) || !mat.Equal(m.T(), dense.T()) || !mat.EqualApprox(&got, &want, 1e-12) ||
			mat.Sum(m) != mat.Sum(dense) {
			t.Errorf("%s: %v is not %v", d, mat.Formatted(m), mat.Formatted(dense))
		}
	}
}
