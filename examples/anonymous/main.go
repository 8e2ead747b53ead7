// Anonymous prints how many different numbers a .npy file has. It sorts them, and leaves the file
// as it is: so they are copied to memory that belongs to no file.
//
//	$ go run ./examples/anonymous FILE.npy
//	1000000 numbers, 4096 different
//	memory of the copy: 0 bytes before, 8003584 after
//
// Such memory (array.New) is zero at first, and takes nothing until it is touched. What makes it better
// than a slice of make: it goes back to the system at Close, and not when the garbage collector gets to
// it, which does not look into it either; the system swaps it out where it is larger than memory; and as
// it never moves, C may keep pointers to it (see ../cgo). For memory that another process sees, too, make
// a file where files are memory (/dev/shm on Linux) and see ../share.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: anonymous FILE") }
	if flag.Parse(); flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	text, err := count(flag.Arg(0))
	if err == nil {
		_, err = fmt.Print(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "anonymous:", err)
		os.Exit(1)
	}
}

func count(path string) (text string, err error) {
	err = array.Use(path, func(f *array.File) (err error) { // page faults are errors, and changes meanwhile
		switch f.DType().Kind() { // each number as itself: float64 has not all of int64
		case dtype.KindInt:
			text, err = sorted[int64](f.Array, dtype.Int64)
		case dtype.KindUint, dtype.KindBool:
			text, err = sorted[uint64](f.Array, dtype.Uint64)
		default:
			text, err = sorted[float64](f.Array, dtype.Float64) // an error for what is no real number
		}
		return err
	})
	return text, err
}

func sorted[T int64 | uint64 | float64](a array.Array, d dtype.DType) (string, error) {
	if _, err := array.Cast[T](a); err != nil {
		return "", err
	}
	scratch, err := array.New(d, index.C, a.Shape()...)
	if err != nil {
		return "", err
	}
	defer scratch.Close()                                       // gives the memory back to the system
	before, _ := scratch.Map().Resident(0, scratch.Map().Len()) // 0 where the system does not tell
	if err := array.Copy(scratch.Array, a); err != nil {
		return "", err
	}
	after, _ := scratch.Map().Resident(0, scratch.Map().Len())
	v, err := array.As[T](scratch.Array)
	if err != nil {
		return "", err
	}
	x, err := v.Data() // a slice of that memory
	if err != nil {
		return "", err
	}
	slices.Sort(x) // NaN first, which is one number here
	n := len(slices.CompactFunc(x, func(a, b T) bool { return a == b || a != a && b != b }))
	return fmt.Sprintf("%d numbers, %d different\nmemory of the copy: %d bytes before, %d after\n",
		len(x), n, before, after), nil
}
