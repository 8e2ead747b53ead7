// Raw prints the brightness of each picture in a headerless file: consecutive pictures of big-endian 16-bit numbers, as
// cameras and detectors write them.
//
//	$ go run ./examples/raw CAMERA.raw 6 480 640
//	0: from 1000 to 1121, on average 1042.2
//	1: from 1144 to 1529, on average 1318.2
//
// The arguments are OFFSET, the number of bytes before the first picture, HEIGHT and WIDTH. An incomplete picture at
// the end is ignored.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: raw FILE OFFSET HEIGHT WIDTH") }
	if flag.Parse(); flag.NArg() != 4 {
		flag.Usage()
		os.Exit(2)
	}
	var n [3]int
	var err error
	for i, name := range []string{"OFFSET", "HEIGHT", "WIDTH"} {
		if n[i], err = strconv.Atoi(flag.Arg(1 + i)); err != nil {
			err = fmt.Errorf("%s: %w", name, err)
			break
		}
	}
	var text []byte
	if err == nil {
		text, err = brightness(flag.Arg(0), int64(n[0]), n[1], n[2])
	}
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "raw:", err)
		os.Exit(1)
	}
}

func brightness(path string, offset int64, height, width int) ([]byte, error) {
	f, err := open(path, offset, height, width)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	v, err := array.As[uint16](f.Array)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	err = mmap.Guard(func() error { // returns page faults as errors
		for i, picture := range v.Axis(0) {
			m := array.MomentsOf(picture)
			fmt.Fprintf(&text, "%d: from %v to %v, on average %.1f\n", i, m.Min, m.Max, m.Mean)
		}
		return nil
	})
	if err == nil {
		err = f.Unchanged() // if the file was truncated or modified meanwhile, text must not be printed
	}
	return text.Bytes(), err
}
