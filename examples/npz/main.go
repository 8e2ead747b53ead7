// Npz copies a .npz file and scales one of its arrays: all members are read where they lie,
// those that are compressed are inflated, and the new archive is there when it is complete.
//
// An array of an archive that is not compressed can also be changed in place, as one of a .npy
// file: open it mmap.ReadWrite.
package main

import (
	"fmt"
	"os"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: npz NAME FACTOR IN.npz OUT.npz")
		os.Exit(2)
	}
	factor, err := strconv.ParseFloat(os.Args[2], 64)
	if err == nil {
		err = scale(os.Args[1], factor, os.Args[3], os.Args[4])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "npz:", err)
		os.Exit(1)
	}
}

// scale copies the archive in to out, with the member of that name times factor.
func scale(name string, factor float64, in, out string) error {
	a, err := npz.Open(in, mmap.ReadOnly)
	if err != nil {
		return err
	}
	defer a.Close() // ends the use of its arrays
	if _, err := a.Member(name); err != nil {
		return err
	}
	w, err := npz.Create(out)
	if err != nil {
		return err
	}
	defer w.Discard() // unless it was closed
	for _, member := range a.Names() {
		x, err := a.Array(member)
		if err == nil && member == name {
			x, err = times(x, factor)
		}
		if err == nil {
			err = w.Add(member, x)
		}
		if err != nil {
			return err
		}
	}
	return w.Close()
}

// times returns a copy of a, with all elements times factor.
func times(a array.Array, factor float64) (array.Array, error) {
	src, err := array.Cast[float64](a) // any real numbers
	if err != nil {
		return a, err
	}
	c, err := a.Clone(index.K)
	if err != nil {
		return c, err
	}
	dst, err := array.Cast[float64](c)
	if err != nil {
		return c, err
	}
	return c, array.Map(dst, src, func(dst, src []float64) error {
		for i, x := range src {
			dst[i] = factor * x
		}
		return nil
	})
}
