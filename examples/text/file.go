package main

import (
	"cmp"
	"io/fs"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// create makes a file of zeros that is to be at path, as path.tmp. Where another process is making it, or
// one that was killed has left it, that is an error that names it.
func create(path string, force bool, d dtype.DType, order index.Order, shape ...int) (*array.File, error) {
	if err := vacant(path, force); err != nil {
		return nil, err
	}
	return array.Create(path+".tmp", d, order, shape...)
}

// publish gives the file of create its path if err, that of the work on it, is nil. Else it removes it.
func publish(g *array.File, path string, force bool, err error) error {
	if err == nil {
		err = g.Sync() // a disk that is full or fails says so here at the latest
	}
	err = cmp.Or(err, g.Close(), vacant(path, force)) // path may be there by now
	if err == nil {
		err = os.Rename(path+".tmp", path)
	}
	if err != nil {
		os.Remove(path + ".tmp")
	}
	return err
}

// vacant returns an error if path is there and is not to be replaced.
func vacant(path string, force bool) error {
	if _, err := os.Lstat(path); err == nil && !force {
		return &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	return nil
}
