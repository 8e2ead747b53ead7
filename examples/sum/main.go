// Sum prints the sum of the numbers in a .npy file, which may be larger than memory and have any dtype, shape and
// order.
//
//	$ go run ./examples/sum FILE.npy
//	9007199254740995
//
// Sums of integers are exact, even beyond 64 bits, and sums of floats are compensated, while a plain loop would lose a
// 1 added to 2**53. The passes in pass.go compute them using all cores. array.Sum is faster, but wraps around in 64
// bits and rounds, as NumPy does.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: sum FILE") }
	if flag.Parse(); flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	total, err := sum(flag.Arg(0))
	if err == nil {
		_, err = fmt.Println(total)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sum:", err)
		os.Exit(1)
	}
}

func sum(path string) (total any, err error) {
	err = array.Use(path, func(f *array.File) error { // returns page faults, and changes to the file, as errors
		total, err = sumOf(f.Array)
		return err
	})
	return total, err
}

func sumOf(a array.Array) (any, error) {
	switch a.DType().Kind() {
	case dtype.KindFloat:
		return sumFloats(a)
	case dtype.KindComplex:
		return sumComplexes(a)
	case dtype.KindUint:
		return integers[uint64](a)
	}
	return integers[int64](a) // an error unless the elements are numbers
}
