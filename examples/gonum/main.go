// Gonum fits the columns of a .npy file, which may be larger than memory, by least squares. It prints the coefficients
// of the linear combination of the first columns that best approximates the last column.
//
//	cd examples/gonum && go run . points.npy
//
// For a file with rows (1, x, x², y), it prints the three coefficients of the parabola closest to the points.
//
// Gonum uses a part of the mapped file as a matrix without copying it. Elements other than float64 in native byte order
// are converted. matrix.go converts views to gonum matrices. QR works on a copy, so the program passes it a batch of
// rows at a time, below the triangle that represents the previous rows. (The normal equations, xᵀx·c = xᵀy, need no
// copy but lose half of the digits. They fail for columns such as years and their squares.)
//
// If the file is truncated meanwhile, array.Use and mmap.Guard turn the page fault into an error, as long as gonum
// computes in the goroutine that called it. This is the case for Stack, Syrk (SymRankK), Gemv (MulVec) and BLAS level
// 1. Gemm (Mul) starts goroutines if the product has four or more blocks of 64 × 64, counting partial blocks, and a
// page fault in those goroutines ends the program. To avoid that, Clone the data of the file first, under Guard. QR, LQ
// and SVD, and hence Solve with a matrix that is not square, first copy the whole matrix to memory. SVD panics if the
// matrix contains NaN.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"gonum.org/v1/gonum/mat"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gonum FILE")
		os.Exit(2)
	}
	log.SetFlags(0)
	log.SetPrefix("gonum: ")
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(path string) error {
	var c *mat.Dense
	err := array.Use(path, func(f *array.File) error { // returns page faults, and changes to the file, as errors
		v, err := array.Cast[float64](f.Array) // accepts any real numbers
		if err == nil {
			c, err = leastSquares(v)
		}
		return err
	})
	if err == nil {
		_, err = fmt.Printf("%.6g\n", mat.Formatted(c.T()))
	}
	return err
}

// most is the maximum number of columns. The memory needed grows with its square.
const most = 4096

// leastSquares returns the c that minimizes the distance of x·c from y, where y is the last column of v and x contains
// the remaining columns. Multiplying (x y) by an orthogonal matrix changes no distances and can produce a triangular
// matrix, from which c follows. leastSquares computes the triangle of the first rows, then the triangle of that
// triangle and the next rows, and so on.
func leastSquares(v array.View[float64]) (*mat.Dense, error) {
	if v.NDim() != 2 || v.Len(1) < 2 || v.Len(1) > most {
		return nil, fmt.Errorf("shape %v: want a matrix with 2 to %d columns", v.Shape(), most)
	}
	n, k := v.Len(0), v.Len(1)-1
	if n < k {
		return nil, fmt.Errorf("%d rows do not determine %d coefficients; want at least %d rows", n, k, k)
	}
	triangle := mat.NewDense(k+1, k+1, nil)
	var part, r mat.Dense
	var qr mat.QR
	for lo, step := 0, max(4096, 4*k); lo < n; lo += step {
		rows, err := v.Select(index.Range(lo, lo+step))
		if err != nil {
			return nil, err
		}
		part.Reset()
		part.Stack(triangle, matrix(rows)) // reads the file in this goroutine
		qr.Factorize(&part)                // works on a copy, in any number of goroutines
		r.Reset()
		qr.RTo(&r)
		triangle.Copy(&r)
	}
	c := new(mat.Dense)
	return c, c.Solve(triangle.Slice(0, k, 0, k), triangle.Slice(0, k, k, k+1))
}
