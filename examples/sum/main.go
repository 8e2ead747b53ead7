// Sum prints the sum of a .npy file of numbers, which may be larger than memory.
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

var sums = map[dtype.Kind]func(*array.File) any{
	dtype.KindBool: sum[int64], dtype.KindInt: sum[int64], dtype.KindUint: sum[uint64],
	dtype.KindFloat: sum[float64], dtype.KindComplex: sum[complex128],
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: sum FILE")
	}
	f, err := array.Open(os.Args[1], mmap.ReadOnly)
	check(err)
	sum := sums[f.DType().Kind()]
	if sum == nil {
		log.Fatalf("%s: there is no sum of dtype %v", f.Path(), f.DType())
	}
	check(mmap.Guard(func() error { fmt.Println(sum(f)); return nil })) // page faults are errors
}

// sum adds up the elements as T. Integers wrap around at 64 bits, as in NumPy's sum.
func sum[T int64 | uint64 | float64 | complex128](f *array.File) any {
	flat, err := f.T().Ravel() // one axis, in the order in which the elements lie in the file
	if f.Order() == index.C {
		flat, err = f.Ravel()
	}
	check(err)
	total := T(0)
	for lo := 0; lo < flat.Size(); lo += 1 << 13 {
		part, err := flat.Select(index.Range(lo, lo+1<<13)) // clipped at the end
		check(err)
		v, err := array.FromSlice(make([]T, part.Size()))
		check(err)
		check(array.Copy(v.Array(), part)) // from any type, in either byte order
		for x := range v.Values() {
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
