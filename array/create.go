package array

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/mmap"
)

// Create makes a new .npy file at path, with all elements zero, and maps it for reading and writing. A file that exists
// is left untouched, and the error wraps [fs.ErrExist]. The disk space is reserved, if the file system can: see
// [mmap.Create]. The error is a *[fs.PathError] or wraps one, or [ErrShape]. The header is numpy.save's: an array that
// is contiguous in both orders is C, so a file that is to grow in F order starts with two columns or more. After a
// power failure, what was not synced may be missing; the name is on stable storage once the caller has synced the
// directory.
func Create(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return Config{}.Create(path, d, order, shape...)
}

// Create is the function [Create] with the fields of cfg. With Config.Replace a file that is there is replaced as by
// [Save], and the new file and its name are on stable storage when Create returns. The File is the new file, also if
// another process has replaced that already.
//
// With Config.Pending the file has its path once it is filled and [File.Commit] is called. On Linux it has no name
// before that, where the file system can make such files, so that nothing is left of a process that dies; elsewhere
// it has a temporary name, as with Save. Path is the path that it is to have. Until Commit, Unchanged returns an
// error.
func (cfg Config) Create(path string, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	h, head, err := newHeader(d, order, shape)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	return cfg.createFile(path, h, head)
}

// createFile makes the file that h describes. head is its header, nil for none.
func (cfg Config) createFile(path string, h npy.Header, head []byte) (*File, error) {
	if err := cfg.check(forCreate); err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	if cfg.Replace {
		// The new file has the permissions of the old one, so that must be one to write.
		m, err := mmap.Open(path, mmap.ReadWrite)
		if err == nil {
			err = m.Close()
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	switch {
	case cfg.Pending:
		return cfg.begin(path, h, head)
	case cfg.Replace:
		return cfg.commitNew(cfg.begin(path, h, head))
	}
	return cfg.create(nil, path, h, head)
}

// create makes the file that h describes at path, or takes one that is open and has no bytes.
func (cfg Config) create(file *os.File, path string, h npy.Header, head []byte) (*File, error) {
	m, err := mmap.Config{Sparse: cfg.Sparse, Lock: cfg.Lock, File: file}.Create(path, int64(h.DataOffset+h.NBytes))
	if err != nil {
		return nil, err
	}
	f := &File{m: m, h: h, growth: cfg.growth(m), counted: -1}
	b := m.Bytes()
	err = mmap.Guard(func() error {
		copy(b, head)
		return nil
	})
	observe("create", path, 0, 0)
	if err == nil {
		err = f.overlay(path, b[h.DataOffset:])
	}
	if err != nil {
		if file == nil { // its header is not whole
			id, _ := m.Stat()
			return nil, atomicfile.Discard(m, id, path, err)
		}
		m.Close()
		return nil, err
	}
	return f, nil
}

func newHeader(d dtype.DType, order index.Order, shape []int) (npy.Header, []byte, error) {
	if order != index.C && order != index.F {
		return npy.Header{}, nil, fmt.Errorf("%w: order %v for a new array; want C or F", ErrShape, order)
	}
	shape = append([]int(nil), shape...) // the header keeps it
	h, head, err := npy.New(d, order, shape)
	if err != nil && !errors.Is(err, ErrShape) {
		err = nd.OfKind(err, ErrDType)
	}
	return h, head, err
}
