//go:build cgo

package main

/*
#include <stddef.h>

static void multiply_by_10(double *a, size_t n) { for (size_t i = 0; i < n; i++) a[i] *= 10; }
*/
import "C"

import (
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// multiplyInC lets C multiply the numbers in a file of any layout and byte order, and returns their number.
func multiplyInC(path string) (n int, err error) {
	f, err := array.Open(path, array.ReadWrite)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	v, err := array.As[float64](f.Array)
	if err != nil {
		return 0, err
	}
	var buf [64 << 10 / 8]float64   // Go memory of the maximum size of a block
	err = mmap.Guard(func() error { // returns page faults in Go's copies as errors
		for block := range v.Update(index.K) {
			C.multiply_by_10((*C.double)(&buf[0]), C.size_t(copy(buf[:], block)))
			n += copy(block, buf[:])
		}
		return f.Sync()
	})
	if err == nil {
		_, err = f.Refresh() // an error if the file has shrunk or has been replaced
	}
	return n, err
}
