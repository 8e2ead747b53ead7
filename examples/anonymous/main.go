// Anonymous prints the number of distinct values in a .npy file. It sorts a copy of the numbers, in anonymous memory
// that does not belong to a file, so that the file does not change.
//
//	$ go run ./examples/anonymous FILE.npy
//	1000000 numbers, 4096 different
//	memory of the copy: 0 bytes before, 8003584 after
//
// Anonymous memory (array.New) starts as zeros and takes no memory until it is touched. Compared with a slice from
// make, it has four advantages: Close returns it to the system at once, the garbage collector neither scans nor manages
// it, the system can swap it out, and it never moves, so that C may keep pointers to it (see ../cgo). To share memory
// with another process, create a file in a memory file system (/dev/shm on Linux); see ../share.
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
	err = array.Use(path, func(f *array.File) (err error) { // returns page faults, and changes to the file, as errors
		switch f.DType().Kind() { // without conversion: float64 cannot hold all int64s
		case dtype.KindInt:
			text, err = sorted[int64](f.Array, dtype.Int64)
		case dtype.KindUint, dtype.KindBool:
			text, err = sorted[uint64](f.Array, dtype.Uint64)
		default:
			text, err = sorted[float64](f.Array, dtype.Float64) // an error unless the elements are real numbers
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
	defer scratch.Close()                                       // returns the memory to the system
	before, _ := scratch.Map().Resident(0, scratch.Map().Len()) // 0 if the system does not report it
	if err := array.Copy(scratch.Array, a); err != nil {
		return "", err
	}
	after, _ := scratch.Map().Resident(0, scratch.Map().Len())
	v, err := array.As[T](scratch.Array)
	if err != nil {
		return "", err
	}
	x, err := v.Data() // a slice of the anonymous memory
	if err != nil {
		return "", err
	}
	slices.Sort(x) // NaNs come first; they count as one number
	n := len(slices.CompactFunc(x, func(a, b T) bool { return a == b || a != a && b != b }))
	return fmt.Sprintf("%d numbers, %d different\nmemory of the copy: %d bytes before, %d after\n",
		len(x), n, before, after), nil
}
