// Mean makes one picture of many: the mean along the first axis of a .npy file of any numbers,
// which may be larger than memory. It is read once, on all cores.
package main

import (
	"fmt"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: mean IN OUT")
		os.Exit(2)
	}
	if err := mean(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "mean:", err)
		os.Exit(1)
	}
}

func mean(in, out string) error {
	f, err := array.Open(in, mmap.ReadOnly)
	if err != nil {
		return err
	}
	defer f.Close()
	r := array.Reduction{Op: array.OpMean, Axes: []int{0}} // or OpMax, OpStd, …
	shape, err := r.Shape(f.Array)
	if err != nil {
		return err
	}
	d, err := r.DType(f.Array) // as NumPy: float64 for integers
	if err != nil {
		return err
	}
	result, err := array.New(d, index.C, shape...)
	if err != nil {
		return err
	}
	defer result.Close()
	if err := mmap.Guard(func() error { return r.Into(result.Array, f.Array) }); err != nil { // page faults are errors
		return err
	}
	return array.Save(out, result.Array)
}
