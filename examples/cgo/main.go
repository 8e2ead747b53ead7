//go:build cgo

// Cgo shows how C code works on arrays. It views memory allocated by C without a copy, and it lets C multiply the
// numbers of a .npy file of float64 by 10, in place.
//
//	go run ./examples/cgo t.npy
//
// It prints C's matrix, and the number of elements of the file that C has multiplied.
//
// A page fault in C ends the program, because mmap.Guard catches only page faults in Go code. Therefore C does not get
// memory of a file that others may truncate. Instead, Go copies a block of the file to its own memory, C works on the
// copy, and Go copies the result back, both under Guard. Blocks fit in the cache, so that the copies cost little. A
// file that nobody else can truncate, and memory of array.New, may be passed to C directly: v.Data() and
// C.size_t(len(data)). (Pass lengths as size_t, because a C int holds only numbers below 2³¹. OpenConfig.Lock excludes
// only processes that also ask for the lock.)
package main

/*
#include <stdlib.h>

static double *count(size_t n) { // like a C library that returns memory which the caller must free
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
	if err := viewCMemory(); err != nil {
		return err
	}
	n, err := multiplyInC(path)
	if err != nil {
		return err
	}
	_, err = fmt.Println("C multiplied", n, "elements of the file by 10")
	return err
}

// viewCMemory views memory allocated by C. Close frees it.
func viewCMemory() error {
	layout, err := index.NewLayout([]int{3, 4}, 8, index.C)
	if err != nil {
		return err
	}
	p := unsafe.Pointer(C.count(12))
	a, err := array.FromPointer(p, dtype.Float64, layout, func() { C.free(p) })
	if err != nil {
		return err // p is nil because C is out of memory
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
