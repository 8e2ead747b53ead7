package main

import (
	"errors"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// open opens the file at path once it has been left alone for 20 ms, or for 2 s where its time is a whole
// second: only then can File.Unchanged tell whether it is changed from now on.
func open(path string, offset int64, height, width int) (*array.File, error) {
	d := dtype.Uint16.WithByteOrder(dtype.BigEndian)
	for try := 0; ; try++ {
		f, err := array.OpenRaw(path, array.ReadOnly, offset, d, index.C, -1, height, width) // as many as there are
		if err != nil || try == 100 || !errors.Is(f.Unchanged(), mmap.ErrChanged) {
			return f, err
		}
		f.Close()
		time.Sleep(25 * time.Millisecond)
	}
}
