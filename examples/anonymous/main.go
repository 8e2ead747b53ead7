// Anonymous makes an array that belongs to no file, fills it, and walks its
// elements in both orders.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "anonymous:", err)
		os.Exit(1)
	}
}

func run(w io.Writer) error {
	// A 2×3 matrix of zeros. Memory that is never touched is never taken, so it
	// may be much larger.
	f, err := array.New(dtype.Int32, index.C, 2, 3)
	if err != nil {
		return err
	}
	defer f.Close() // gives the memory back to the system
	v, err := array.As[int32](f.Array)
	if err != nil {
		return err
	}
	v.Fill(7)
	for idx := range index.All(v.Shape(), index.C) {
		v.SetAt(v.At(idx...)+int32(10*idx[0]+idx[1]), idx...)
	}

	fmt.Fprintln(w, "C order, the last index fastest:")
	for idx, x := range v.All(index.C) {
		fmt.Fprintln(w, idx, x)
	}
	fmt.Fprintln(w, "Fortran order, the first index fastest:")
	for idx, x := range v.All(index.F) {
		fmt.Fprintln(w, idx, x)
	}
	return nil
}
