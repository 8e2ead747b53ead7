// Sum prints the sum of a .npy file of numbers, which may be larger than memory: as a
// float64, or as a complex number if the file has those.
package main

import (
	"fmt"
	"log"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: sum FILE")
	}
	f, err := array.Open(os.Args[1], mmap.ReadOnly)
	check(err)
	defer f.Close()
	check(mmap.Guard(func() error { // page faults are errors
		if f.DType().Kind() == dtype.KindComplex {
			fmt.Println(sum[complex128](f.Array))
		} else {
			fmt.Println(sum[float64](f.Array))
		}
		return nil
	}))
}

func sum[T float64 | complex128](a array.Array) (total T) {
	v, err := array.Cast[T](a) // any numbers, in either byte order
	check(err)
	for block := range v.Blocks(index.K) { // in the order in which they lie in memory
		for _, x := range block {
			total += x
		}
	}
	return total
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
