// Sum prints the sum of a .npy file of numbers, which may be larger than memory and have any dtype, shape
// and order.
//
//	$ go run ./examples/sum FILE.npy
//	9007199254740995
//
// It is the exact sum of integers, also past 64 bits, and for floats a compensated sum: a plain
// loop would lose 1 beside 2**53. That takes passes of its own, on all cores: pass.go has them.
// array.Sum is faster: it wraps around in 64 bits, and rounds, both as NumPy does.
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
	err = array.Use(path, func(f *array.File) error { // page faults are errors, and changes meanwhile
		total, err = sumOf(f.Array)
		return err
	})
	return total, err
}

func sumOf(a array.Array) (any, error) {
	switch a.DType().Kind() {
	case dtype.KindFloat:
		return floats(a)
	case dtype.KindComplex:
		return complexes(a)
	case dtype.KindUint:
		return integers[uint64](a)
	}
	return integers[int64](a) // an error for what is no number
}
