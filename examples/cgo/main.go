//go:build cgo

// Cgo lets C work on arrays: memory of C's becomes a view, without a copy, and C multiplies the numbers of a .npy file
// of float64 by 10, in place.
//
//	go run ./examples/cgo t.npy
//
// prints C's matrix, and how many elements of the file C has multiplied.
//
// A page fault in C ends the program: mmap.Guard is for Go. So C gets no part of a file that others
// may cut, but a block of it that Go has copied to memory of its own, and Go copies back what C has
// made of that; both are under Guard. A block is in the cache, so that costs little. A file that
// nobody else can cut, or memory of array.New, may go to C as it is: v.Data() and
// C.size_t(len(data)). (Pass lengths as size_t: C's int ends at 2³¹. OpenConfig.Lock keeps out only
// processes that ask for a lock.)
package main

/*
#include <stdlib.h>

static double *count(size_t n) { // as a C library hands out memory, which the caller frees
	double *a = malloc(n * sizeof *a);
	for (size_t i = 0; a && i < n; i++) a[i] = i;
	return a;
}
static void multiply_by_10(double *a, size_t n) { for (size_t i = 0; i < n; i++) a[i] *= 10; }
*/
import "C"

import (
	"fmt"
	"log"
	"os"
	"unsafe"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: cgo FILE")
		os.Exit(2)
	}
	log.SetFlags(0)
	log.SetPrefix("cgo: ")
	fromC()
	n := must(toC(os.Args[1]))
	must(fmt.Println("C multiplied", n, "elements of the file by 10"))
}

// fromC views memory that C allocated, which is C's until Close frees it.
func fromC() {
	p := unsafe.Pointer(C.count(12))
	layout := must(index.NewLayout([]int{3, 4}, 8, index.C))
	a := must(array.FromPointer(p, dtype.Float64, layout, func() { C.free(p) }))
	defer a.Close()
	v := must(array.As[float64](a.Array))
	v.SetAt(-1, 2, 0) // row 2, column 0
	must(fmt.Printf("C's matrix:\n%v\n", v))
}

// toC has C multiply the numbers in a file of any layout and byte order, and returns how many there are.
func toC(path string) (n int, err error) {
	f, err := array.Open(path, array.ReadWrite)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	v, err := array.As[float64](f.Array)
	if err != nil {
		return 0, err
	}
	var buf [64 << 10 / 8]float64   // Go's, as large as a block can be
	err = mmap.Guard(func() error { // a file that is cut is an error where Go copies
		for block := range v.Update(index.K) {
			C.multiply_by_10((*C.double)(&buf[0]), C.size_t(copy(buf[:], block)))
			n += copy(block, buf[:])
		}
		return f.Sync()
	})
	if err == nil {
		_, err = f.Refresh() // an error if the file has become shorter, or another one
	}
	return n, err
}

func must[T any](x T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return x
}
