// Gonum fits the columns of a .npy file, which may be larger than memory, by least squares: it
// prints by what to multiply the others so that they add up to the last one as nearly as can be.
// Gonum computes on the mapped file itself; elements that are not float64 in the byte order of
// the machine are converted, some rows at a time: matrix.go makes gonum's matrices of views.
//
// A page fault, where the file is truncated meanwhile, is an error under mmap.Guard as long as gonum
// computes in the goroutine that called it, as Syrk (SymRankK), Gemv (MulVec) and level 1 do. Gemm
// (Mul) starts goroutines where the product has four blocks of 64 × 64 or more, parts of one counted,
// and a fault in those ends the program: Clone what is in the file first, under Guard. QR, LQ and SVD,
// and so Solve of a matrix that is not square, copy the whole matrix to memory first.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
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

// leastSquares returns the c for which x·c comes closest to y, where y is the last column of v and
// x the others: the solution of xᵀx·c = xᵀy, both of which are in the product of vᵀ and v.
func leastSquares(v array.View[float64]) (*mat.Dense, error) {
	if v.NDim() != 2 || v.Dim(1) < 2 {
		return nil, fmt.Errorf("%v is not the shape of a matrix with two columns or more", v.Shape())
	}
	k := v.Dim(1) - 1
	sym := mat.NewSymDense(k+1, nil)
	err := mmap.Guard(func() error {
		for lo := 0; lo < v.Dim(0); lo += 4096 {
			rows, err := v.Select(index.Range(lo, lo+4096))
			if err != nil {
				return err
			}
			sym.SymRankK(sym, 1, matrix(rows).T()) // not Mul, which starts goroutines
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	vv, c := mat.DenseCopyOf(sym), new(mat.Dense)
	return c, c.Solve(vv.Slice(0, k, 0, k), vv.Slice(0, k, k, k+1))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
