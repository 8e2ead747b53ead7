package main

import (
	"errors"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// open opens the file at path once its last change is at least 20 ms old, or 2 s if its modification time is a whole
// second. Only then does File.Unchanged detect every later change.
func open(path string, offset int64, height, width int) (*array.File, error) {
	d := dtype.Uint16.WithByteOrder(dtype.BigEndian)
	for try := 0; ; try++ {
		f, err := array.OpenRaw(path, array.ReadOnly, offset, d, index.C, -1, height, width) // -1: all complete pictures
		if err != nil || try == 100 || !errors.Is(f.Unchanged(), mmap.ErrChanged) {
			return f, err
		}
		f.Close()
		time.Sleep(25 * time.Millisecond)
	}
}
