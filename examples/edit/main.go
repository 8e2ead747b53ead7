// Edit makes the negative numbers of a .npy file of float64 zero, in place: what
// it does not change it does not write.
package main

import (
	"fmt"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: edit FILE")
		os.Exit(2)
	}
	n, err := edit(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "edit:", err)
		os.Exit(1)
	}
	fmt.Println("elements changed:", n)
}

func edit(path string) (n int, err error) {
	f, err := array.Open(path, mmap.ReadWrite) // writes reach the file
	if err != nil {
		return 0, err
	}
	defer f.Close()
	v, err := array.As[float64](f.Array) // of any shape, order and byte order
	if err != nil {
		return 0, err
	}
	err = mmap.Guard(func() error {
		for idx, x := range v.All(index.C) {
			if x < 0 {
				v.SetAt(0, idx...)
				n++
			}
		}
		return f.Sync() // when it returns, the changes are on stable storage
	})
	return n, err
}
