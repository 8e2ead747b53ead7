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
	"cmp"
	"flag"
	"fmt"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/mmap"
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

func sum(path string) (any, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return sumOf(f)
}

func sumOf(f *array.File) (total any, err error) {
	err = mmap.Guard(func() error { // page faults are errors, also those of other goroutines
		switch f.DType().Kind() {
		case dtype.KindFloat:
			total, err = floats(f.Array)
		case dtype.KindComplex:
			total, err = complexes(f.Array)
		case dtype.KindUint:
			total, err = integers[uint64](f.Array)
		default:
			total, err = integers[int64](f.Array) // an error for what is no number
		}
		return err
	})
	return total, cmp.Or(err, f.Unchanged()) // was it cut, or written to, while it was read?
}
