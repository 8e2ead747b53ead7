package main

import (
	"fmt"
	"io/fs"
	"os"
	"sync"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

// A file is an open file, and what is needed to notice that it has changed.
type file struct {
	*array.File
	v    array.View[float64]
	info fs.FileInfo    // from before it was opened
	use  sync.WaitGroup // counts the requests that use it
}

func open(path string) (*file, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	opened, err := array.Open(path, mmap.ReadOnly)
	if err != nil {
		return nil, err
	}
	f := &file{File: opened, info: info}
	if f.v, err = array.Cast[float64](f.Array); err == nil { // any real numbers
		err = f.check()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// check returns an error if the file has been written to or truncated since it was opened, and one
// that wraps mmap.ErrReplaced if the path is another file, or none: then f is what it was. It does
// not see whether f was changed in place before that.
func (f *file) check() error {
	info, err := f.Stat()
	if err == nil && (info.Size() != f.info.Size() || !info.ModTime().Equal(f.info.ModTime())) {
		err = fmt.Errorf("%s: the file has been changed in place", f.Path())
	}
	return err
}
