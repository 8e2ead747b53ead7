//go:build cgo

// Cgo shares arrays with C without copying: memory of C's becomes a view, and a
// mapped file is handed to a C function, which edits it in place.
package main

/*
#include <stdlib.h>

// What a C library hands out: numbers in memory of its own, to be freed by the caller.
static double *count(int n) {
	double *a = malloc(n * sizeof *a);
	for (int i = 0; a && i < n; i++) a[i] = i;
	return a;
}

// What a C library takes: numbers one after the other.
static void multiply_by_10(double *a, int n) {
	for (int i = 0; i < n; i++) a[i] *= 10;
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
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: cgo FILE")
	}
	fromC()
	toC(os.Args[1])
}

// fromC views memory that C allocated, which is C's until Close frees it.
func fromC() {
	p := unsafe.Pointer(C.count(12))
	layout, err := index.NewLayout([]int{3, 4}, 8, index.C)
	check(err)
	a, err := array.FromPointer(p, dtype.Float64, layout, func() { C.free(p) })
	check(err)
	defer a.Close()
	v, err := array.As[float64](a.Array)
	check(err)
	v.SetAt(-1, 2, 0) // row 2, column 0
	for j, column := range v.Axis(1) {
		fmt.Println("column", j, "of C's matrix:", column.At(0), column.At(1), column.At(2))
	}
}

// toC has C multiply the numbers in a file. Data is an error where they are not C's
// double one after the other; then C needs a Clone, and CopyFrom takes it back.
func toC(path string) {
	f, err := array.Open(path, mmap.ReadWrite)
	check(err)
	defer f.Close()
	v, err := array.As[float64](f.Array)
	check(err)
	data, err := v.Data()
	check(err)
	C.multiply_by_10((*C.double)(unsafe.SliceData(data)), C.int(len(data)))
	fmt.Println("C multiplied", len(data), "elements of the file by 10")
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
