// Gonum fits the columns of a .npy file, which may be larger than memory, by least squares: it
// prints by what to multiply the others so that they add up to the last one as nearly as can be.
//
//	cd examples/gonum && go run . points.npy
//
// of a file of rows (1, x, x², y) prints the three coefficients of the parabola nearest to the points.
//
// Gonum takes a part of the mapped file as a matrix, without a copy; elements that are not float64
// in the byte order of the machine are converted: matrix.go makes gonum's matrices of views. QR
// works on a copy, so the program gives it some rows at a time, below the triangle of the rows
// before. (The normal equations, xᵀx·c = xᵀy, would need no copy, but lose half of the digits: they
// fail for columns such as years and their squares.)
//
// A page fault, where the file is truncated meanwhile, is an error under array.Use and mmap.Guard as long as gonum
// computes in the goroutine that called it, as Stack, Syrk (SymRankK), Gemv (MulVec) and level 1 do. Gemm
// (Mul) starts goroutines where the product has four blocks of 64 × 64 or more, parts of one counted,
// and a fault in those ends the program: Clone what is in the file first, under Guard. QR, LQ and SVD,
// and so Solve of a matrix that is not square, copy the whole matrix to memory first. SVD panics where it meets NaN.
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
	err := array.Use(path, func(f *array.File) error { // page faults and changes to the file are errors
		v, err := array.Cast[float64](f.Array) // any real numbers
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

// most is how many columns there may be: what is kept of them has the square of that.
const most = 4096

// leastSquares returns the c for which x·c comes closest to y, where y is the last column of v and x the others. An
// orthogonal matrix times (x y) is a triangle, and changes no distance, so that c is the solution of the triangle. It
// is that of some rows, then that of the triangle and the next rows, and so on.
func leastSquares(v array.View[float64]) (*mat.Dense, error) {
	if v.NDim() != 2 || v.Len(1) < 2 || v.Len(1) > most {
		return nil, fmt.Errorf("%v is not the shape of a matrix with 2 to %d columns", v.Shape(), most)
	}
	n, k := v.Len(0), v.Len(1)-1
	if n < k {
		return nil, fmt.Errorf("%d rows do not determine %d coefficients", n, k)
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
		part.Stack(triangle, matrix(rows)) // reads the file, in this goroutine
		qr.Factorize(&part)                // of a copy, in as many goroutines as gonum likes
		r.Reset()
		qr.RTo(&r)
		triangle.Copy(&r)
	}
	c := new(mat.Dense)
	return c, c.Solve(triangle.Slice(0, k, 0, k), triangle.Slice(0, k, k, k+1))
}
