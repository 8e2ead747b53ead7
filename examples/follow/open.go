package main

import (
	"fmt"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// open opens the file at path, and returns an error if its rows cannot be followed.
func open(path string) (*array.File, error) {
	f, err := array.Open(path, array.ReadOnly)
	if err != nil {
		return nil, err
	}
	if f.NDim() == 0 || f.Order() != index.C {
		f.Close()
		return nil, fmt.Errorf("%s: shape %v, order %v: want an array with rows in C order", path, f.Shape(), f.Order())
	}
	return f, nil
}

// currentRows returns a copy of the current rows of f. It retries until the modification time is the same before and
// after reading, so that the copy cannot contain rows that were cut off and put back meanwhile. Follow checks later
// rows itself.
func currentRows(f *array.File) (rows array.Array, err error) {
	for {
		before, err := f.Stat()
		if err != nil {
			return rows, err
		}
		if err := mmap.Guard(func() error { rows, err = f.Clone(index.C); return err }); err != nil { // it may be truncated
			return rows, err
		}
		after, err := f.Stat()
		switch {
		case err != nil:
			return rows, err
		case after.Size() < f.DataOffset()+int64(f.NBytes()):
			return rows, fmt.Errorf("%s: truncated to %d bytes", f.Path(), after.Size())
		case after.ModTime().Equal(before.ModTime()):
			return rows, nil
		}
	}
}
