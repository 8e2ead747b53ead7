// Package temp keeps arrays in temporary files, so that they may be larger than the memory of the process.
package temp

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A File is an array in a temporary file without a header.
type File struct {
	array.Array
	Map *mmap.Map

	dir string // folder of the file; empty if it has been removed
}

// Create creates an array of zeros in a temporary file. c configures the mapping. The caller must close the File.
func Create(c mmap.Config, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	f := &File{}
	if err := f.create(c, d, order, shape); err != nil {
		f.Close()
		return nil, fmt.Errorf("cannot create a temporary file in %s: %w", os.TempDir(), err)
	}
	return f, nil
}

func (f *File) create(c mmap.Config, d dtype.DType, order index.Order, shape []int) error {
	_, size, err := index.Size(shape, d.ItemSize())
	if err != nil {
		return err
	}
	if f.dir, err = os.MkdirTemp("", "npyview-*"); err != nil {
		return err
	}
	if f.Map, err = c.Create(filepath.Join(f.dir, "elements"), int64(size)); err != nil {
		return err
	}
	if f.Array, err = array.FromMap(f.Map, 0, d, order, shape...); err != nil {
		return err
	}
	if os.RemoveAll(f.dir) == nil { // Windows refuses to remove a mapped file
		f.dir = ""
	}
	return nil
}

// Close removes the file. The elements must not be accessed afterwards.
func (f *File) Close() {
	if f.Map != nil {
		f.Map.Close()
	}
	if f.dir != "" {
		os.RemoveAll(f.dir)
	}
}
