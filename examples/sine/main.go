// Sine makes a .npy file with the columns t and sin(t), as big-endian float64
// in Fortran order, so that each column is one piece of the file.
package main

import (
	"fmt"
	"math"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sine FILE")
		os.Exit(2)
	}
	if err := sine(os.Args[1], 1000); err != nil {
		fmt.Fprintln(os.Stderr, "sine:", err)
		os.Exit(1)
	}
}

// sine makes the file at path, with n steps over one period.
func sine(path string, n int) error {
	f, err := array.Create(path, dtype.Float64.WithOrder(dtype.BigEndian), index.F, n, 2)
	if err != nil {
		return err
	}
	defer f.Close()
	v, err := array.As[float64](f.Array) // the byte order is the view's business
	if err != nil {
		return err
	}
	return mmap.Guard(func() error {
		for i := range n {
			t := 2 * math.Pi * float64(i) / float64(n)
			v.SetAt(t, i, 0)
			v.SetAt(math.Sin(t), i, 1)
		}
		return f.Sync()
	})
}
