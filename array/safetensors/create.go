package safetensors

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"syscall"

	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/tensors"
	"github.com/ndmap/ndmap/mmap"
)

// Create makes a new file at path with these tensors, all elements zero, and this metadata, which may be
// nil, and maps it for reading and writing: [File.Array] has the tensors to be filled. A file that exists is
// left untouched, and the error wraps [fs.ErrExist]. The disk space is reserved, as by [array.Create].
//
// The data of tensors with large elements comes first, and else the order is that of the slice. Byte orders
// make no difference: elements are little-endian.
//
// The file gets its path when its header is there: at every moment, and after a crash, path is what it was, or the
// file with all tensors, of which a part may be filled. What was written is on stable storage after [File.Sync].
// The error is that of the system, a *[fs.PathError], or says which tensor no file can have, and wraps
// [fs.ErrInvalid].
func Create(path string, list []Tensor, metadata map[string]string) (*File, error) {
	return Config{}.Create(path, list, metadata)
}

// Create makes a file at path as the function [Create] does, with the fields of cfg. With Config.Replace a file
// that is there is replaced, as [array.Save] does it.
func (cfg Config) Create(path string, list []Tensor, metadata map[string]string) (*File, error) {
	err := cfg.check("Create")
	if err == nil && !cfg.Replace { // only to fail early; Commit decides
		if _, e := os.Lstat(path); e == nil {
			err = syscall.EEXIST
		}
	}
	var all []tensors.Tensor
	var head []byte
	if err == nil {
		list = slices.Clone(list)
		slices.SortStableFunc(list, func(a, b Tensor) int { return cmp.Compare(b.DType.ItemSize(), a.DType.ItemSize()) })
		all, head, err = headerOf(list, metadata)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	size := int64(len(head))
	if len(all) > 0 {
		size += all[len(all)-1].End
	}
	return cfg.create(path, head, size)
}

// create makes a file of size bytes that starts with a header.
func (cfg Config) create(path string, head []byte, size int64) (*File, error) {
	file, err := atomicfile.New(path, cfg.Replace)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	file.NoSync, file.Observe = cfg.NoSync, observe
	var m *mmap.Map
	named := false
	defer func() {
		if !named {
			if m != nil {
				m.Close()
			}
			file.Remove()
		}
	}()
	mapped, err := file.Dup()
	if err != nil {
		return nil, err
	}
	if m, err = (mmap.Config{Lock: cfg.Lock, File: mapped}).Create(path, size); err != nil {
		mapped.Close()
		return nil, err
	}
	err = mmap.Guard(func() error {
		copy(m.Bytes(), head)
		return nil
	})
	observe("write", file.Temp)
	if err == nil && !cfg.NoSync {
		err = m.Sync()
		observe("sync", file.Temp)
	}
	if runtime.GOOS == "windows" { // there no file that is mapped is renamed
		err = errors.Join(err, m.Close())
	}
	if err != nil {
		return nil, err
	}
	named, err = file.Commit()
	switch {
	case !named:
		return nil, err
	case runtime.GOOS == "windows":
		return cfg.again(path, head, err)
	}
	f := &File{m: m}
	if err == nil { // else the name may not be on the disk
		err = f.read(size, func(off int64, n int) (string, error) { return string(head[off : off+int64(n)]), nil })
	}
	if err != nil {
		m.Close()
		return nil, err
	}
	return f, nil
}

// again opens the file at path, which has just got that name, if it has that header.
func (cfg Config) again(path string, head []byte, err error) (*File, error) {
	if err != nil {
		return nil, err
	}
	f, err := Config{Mode: mmap.ReadWrite, Lock: cfg.Lock}.Open(path)
	if err != nil {
		return nil, err
	}
	same := false
	err = mmap.Guard(func() error {
		b := f.m.Bytes()
		same = len(b) >= len(head) && string(b[:len(head)]) == string(head)
		return nil
	})
	if err == nil && !same {
		err = &fs.PathError{Op: "create", Path: path, Err: mmap.ErrReplaced}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// observe, which tests set, is told of each step after which files may be different after a crash.
var observe = func(op, path string) {}

// headerOf returns the header of a file with these tensors in this order.
func headerOf(list []Tensor, metadata map[string]string) ([]tensors.Tensor, []byte, error) {
	all := make([]tensors.Tensor, len(list))
	for i, t := range list {
		code := tensors.Code(t.DType)
		if code == "" {
			return nil, nil, fmt.Errorf("%w: tensor %s: the format has no dtype %v", fs.ErrInvalid, tensors.Quote(t.Name),
				t.DType)
		}
		if slices.ContainsFunc(t.Shape, func(n int) bool { return n < 0 }) {
			return nil, nil, fmt.Errorf("%w: tensor %s: a length of shape %v is negative", fs.ErrInvalid, tensors.Quote(t.Name),
				t.Shape)
		}
		all[i] = tensors.Tensor{Name: t.Name, Code: code, Shape: t.Shape}
	}
	head, err := tensors.Append(nil, all, metadata)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", fs.ErrInvalid, err)
	}
	return all, head, nil
}
