package safetensors

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"os"
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
// that is there is replaced, as [array.Save] does it. With Config.Pending the file has its path once it is filled and
// [File.Commit] is called, as with [array.Config].
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

// Make creates a file at path with these tensors and this metadata, calls fill to write the elements, and gives the
// file its path when fill returns nil. The elements are zero at first. The File is mapped for reading and writing; it
// and its arrays end when Make returns. fill must not close or commit the File.
//
// An existing file is replaced as by [array.Save]: at every moment, and after a crash, path is the old file or the
// complete new one. If fill returns an error, panics or ends its goroutine, the old file stays, or path stays free.
//
// If fill reads other files, call [Use] or [array.Use] inside fill: it checks them before Make publishes, but a Make
// inside Use publishes before Use checks. A page fault in fill is an error, as under [mmap.Guard]. An error of fill is
// returned as it is. For other errors see [Create] and [File.Commit].
func Make(path string, list []Tensor, metadata map[string]string, fill func(f *File) error) error {
	return Config{Replace: true}.Make(path, list, metadata, fill)
}

// Make is the function [Make] with the fields of cfg, except that it replaces a file only with Config.Replace.
// Otherwise a file that exists stays as it is, and the error wraps [fs.ErrExist].
func (cfg Config) Make(path string, list []Tensor, metadata map[string]string, fill func(f *File) error) error {
	if err := cfg.check("Make"); err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	cfg.Pending = true
	f, err := cfg.Create(path, list, metadata)
	if err != nil {
		return err
	}
	defer f.Close() // also if fill panics
	f.pending.inMake = true
	if err := mmap.Guard(func() error { return fill(f) }); err != nil {
		return err
	}
	if f.pending == nil {
		return fmt.Errorf("%s: make: %w before its function returned", path, fs.ErrClosed)
	}
	f.pending.inMake = false
	return f.Commit()
}

// create makes a file of size bytes that starts with a header.
func (cfg Config) create(path string, head []byte, size int64) (*File, error) {
	file, err := atomicfile.New(path, cfg.Replace)
	if err != nil {
		return nil, err
	}
	file.NoSync, file.Observe = cfg.NoSync, observe
	mapped, err := file.Dup()
	if err != nil {
		file.Remove()
		return nil, err
	}
	m, err := mmap.Config{Lock: cfg.Lock, File: mapped}.Create(path, size)
	if err != nil {
		mapped.Close()
		file.Remove()
		return nil, file.Error(err)
	}
	m.Lock(0) // which file has; so no Unlock takes it away
	f := &File{m: m, pending: &pending{file: file, cfg: cfg, head: head}}
	err = mmap.Guard(func() error {
		copy(m.Bytes(), head)
		return nil
	})
	observe("write", file.Temp)
	if err == nil {
		err = f.read(size, func(off int64, n int) (string, error) { return string(head[off : off+int64(n)]), nil })
	}
	if err == nil && !cfg.Pending {
		err = f.Commit()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// A pending is what a File has that has no path yet.
type pending struct {
	file   *atomicfile.File
	cfg    Config
	head   []byte
	inMake bool // Make commits
}

// Commit gives a file that was made with Config.Pending its path; all is as with [array.File.Commit]. On Windows arrays
// that were taken before end.
func (f *File) Commit() error {
	p := f.pending
	switch {
	case p == nil:
		return fmt.Errorf("%scommit: %w: the file is not pending; Create it with Config.Pending, and Commit once",
			f.prefix(), fs.ErrInvalid)
	case p.inMake:
		return fmt.Errorf("%scommit: %w: Make gives the file its path once its function returns nil", f.prefix(),
			fs.ErrInvalid)
	case p.cfg.NoSync:
	default:
		if err := f.m.Sync(); err != nil {
			return err
		}
		observe("sync", p.file.Temp)
	}
	named, err := p.file.CommitMapped(f.m, func(name string) error {
		m, err := p.again(name, f.Path())
		if err == nil {
			f.m = m
		}
		return err
	})
	if !named {
		return err
	}
	f.pending = nil
	f.m.Unlock()
	p.file.Close()
	return err
}

// again maps the file of that name, which is to be known as path, if it has the header of p.
func (p *pending) again(name, path string) (*mmap.Map, error) {
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return nil, p.file.Error(err)
	}
	head := make([]byte, len(p.head))
	m, err := mmap.Config{Mode: mmap.ReadWrite, Lock: p.cfg.Lock, File: file, Head: head}.Open(path)
	if err != nil {
		file.Close()
		return nil, err
	}
	if !bytes.Equal(head, p.head) {
		m.Close()
		return nil, &fs.PathError{Op: "create", Path: path, Err: mmap.ErrReplaced}
	}
	return m, nil
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
