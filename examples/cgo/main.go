//go:build cgo

// Cgo shares arrays with C without copying: memory that C allocated becomes a view,
// and a mapped file is handed to a C function, which edits it in place.
package main

/*
#include <stdlib.h>

// What a C library hands out: a matrix in memory of its own, to be freed by the caller.
static double *new_matrix(int rows, int cols) {
	double *a = malloc(rows * cols * sizeof *a);
	for (int i = 0; a && i < rows * cols; i++)
		a[i] = i;
	return a;
}

// What a C library takes: contiguous doubles.
static void multiply_by_10(double *a, int n) {
	for (int i = 0; i < n; i++)
		a[i] *= 10;
}
*/
import "C"

import (
	"errors"
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
	// C allocates, Go views. The memory is C's until Close, which frees it.
	layout, err := index.NewLayout([]int{3, 4}, 8, index.C)
	check(err)
	p := unsafe.Pointer(C.new_matrix(3, 4))
	a, err := array.FromPointer(p, dtype.Float64, layout, func() { C.free(p) })
	check(err)
	defer a.Close()
	m, err := array.As[float64](a.Array)
	check(err)
	column, err := m.T().Select(index.At(1))
	check(err)
	check(multiplyBy10(column)) // not contiguous
	for i, row := range m.Axis(0) {
		data, err := row.Data()
		check(err)
		fmt.Println("row", i, "of C's matrix:", data)
	}

	// Go maps a file, C edits it.
	f, err := array.Open(os.Args[1], mmap.ReadWrite)
	check(err)
	defer f.Close()
	v, err := array.As[float64](f.Array)
	check(err)
	check(multiplyBy10(v))
	check(f.Sync())
	fmt.Println(v.Size(), "elements of the file multiplied by 10")
}

// multiplyBy10 has C multiply v in place. What is not contiguous goes through a copy.
func multiplyBy10(v array.View[float64]) error {
	data, err := v.Data()
	if errors.Is(err, array.ErrNotDirect) {
		c, err := v.Clone(index.C)
		if err != nil {
			return err
		}
		return errors.Join(multiplyBy10(c), v.CopyFrom(c))
	}
	if err == nil && len(data) > 0 {
		C.multiply_by_10((*C.double)(&data[0]), C.int(len(data)))
	}
	return err
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
