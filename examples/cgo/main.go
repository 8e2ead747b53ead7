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
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: cgo FILE")
		os.Exit(2)
	}
	log.SetFlags(0)
	log.SetPrefix("cgo: ")
	if err := run(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func run(path string) error {
	if err := fromC(); err != nil {
		return err
	}
	n, err := toC(path)
	if err != nil {
		return err
	}
	_, err = fmt.Println("C multiplied", n, "elements of the file by 10")
	return err
}

// fromC views memory that C allocated, which is C's until Close frees it.
func fromC() error {
	layout, err := index.NewLayout([]int{3, 4}, 8, index.C)
	if err != nil {
		return err
	}
	p := unsafe.Pointer(C.count(12))
	a, err := array.FromPointer(p, dtype.Float64, layout, func() { C.free(p) })
	if err != nil {
		return err // p is nil: C has no memory left
	}
	defer a.Close()
	v, err := array.As[float64](a.Array)
	if err != nil {
		return err
	}
	v.SetAt(-1, 2, 0) // row 2, column 0
	_, err = fmt.Printf("C's matrix:\n%v\n", v)
	return err
}
