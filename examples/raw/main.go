// Raw prints how bright each picture of a headerless file is: 16-bit numbers, big-endian, one
// picture after the other, as cameras and detectors write them.
package main

import (
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: raw FILE OFFSET HEIGHT WIDTH")
		os.Exit(2)
	}
	var n [3]int // OFFSET is the number of bytes before the first picture
	var err error
	for i := range n {
		if n[i], err = strconv.Atoi(os.Args[2+i]); err != nil {
			break
		}
	}
	if err == nil {
		err = brightness(os.Stdout, os.Args[1], n[0], n[1], n[2])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "raw:", err)
		os.Exit(1)
	}
}

func brightness(out io.Writer, path string, offset, height, width int) error {
	d := dtype.Uint16.WithOrder(dtype.BigEndian)
	f, err := array.OpenRaw(path, mmap.ReadOnly, offset, d, index.C, -1, height, width) // as many as there are
	if err != nil {
		return err
	}
	defer f.Close()
	v, err := array.As[uint16](f.Array)
	if err != nil {
		return err
	}
	return mmap.Guard(func() error { // page faults are errors
		for i, picture := range v.Axis(0) {
			lo, hi := array.MinMax(picture)
			if _, err := fmt.Fprintf(out, "%d: from %d to %d, on average %.1f\n", i, lo, hi, array.Mean(picture)); err != nil {
				return err
			}
		}
		return nil
	})
}
