package array

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/mmap"
)

// Save writes a to a .npy file at path, as numpy.save does and byte for byte the
// same. A file that is there is replaced. At every moment, and after a crash,
// path is the old file or the whole new one: the data is written to a temporary
// file beside it, synced, and renamed. The permissions stay, the owner becomes who
// saves; a link to a file stays, too, and the file is replaced. What is no regular
// file (a folder, a device) is left as it is, with an error. Windows replaces no file that
// is read-only, open or mapped: that is an error there.
func Save(path string, a Array) error {
	return Config{Replace: true}.Convert(path, a, a.DType(), index.K)
}

// Convert writes a to a new .npy file at path with another dtype or order; what
// becomes of the elements is said at [Copy]. A file has its elements in C or F order: for
// K that is F where a is F contiguous and not C contiguous, as numpy.save has it, and
// else C. A file that is there is left as it is, and the error wraps
// fs.ErrExist; with Config.Replace it is replaced. At every moment, and after a
// crash, there is a whole file at path, or none. It takes no memory in proportion
// to a.
func Convert(path string, a Array, d dtype.DType, order index.Order) error {
	return Config{}.Convert(path, a, d, order)
}

// Convert writes a to a file at path as the function [Convert] does, with the fields of cfg.
func (cfg Config) Convert(path string, a Array, d dtype.DType, order index.Order) error {
	a.mustBeSet()
	if err := cfg.check(forConvert); err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	if !cfg.Replace { // only to fail early; publish decides
		if _, err := os.Lstat(path); err == nil {
			return &fs.PathError{Op: "create", Path: path, Err: syscall.EEXIST}
		}
	}
	return cfg.beside(path, d, a.fileOrder(order), a.Shape(), func(f *File) error { return cfg.fill(f, a) })
}

// beside makes a file beside path, has it filled and stored, and gives it that name.
func (cfg Config) beside(path string, d dtype.DType, order index.Order, shape []int, fill func(*File) error) error {
	file, err := atomicfile.New(path, cfg.Replace)
	if err != nil {
		return err
	}
	file.Observe = func(op, path string) { observe(op, path, 0, 0) }
	f, err := Config{Sparse: cfg.Sparse}.Create(file.Temp, d, order, shape...)
	if err != nil {
		return renamed(err, file)
	}
	named := false
	defer func() { // also when cfg.Progress panics
		if !named {
			f.Close()
			file.Remove()
		}
	}()
	err = file.Protect()
	if err == nil {
		err = fill(f)
	}
	if err = errors.Join(renamed(err, file), renamed(f.Close(), file)); err != nil {
		return err
	}
	err = file.Commit()
	named = err == nil
	return renamed(err, file)
}

// renamed puts the name that the caller knows in an error about a temporary file.
func renamed(err error, file *atomicfile.File) error {
	if e, ok := errors.AsType[*mmap.FaultError](err); ok && e.Path == file.Temp {
		return &mmap.FaultError{Path: file.Path, Offset: e.Offset, Addr: e.Addr, Err: e.Err}
	}
	if e, ok := errors.AsType[*DTypeError](err); ok && e.Path == file.Temp {
		return &DTypeError{file.Path, e.Have, e.Want, e.Msg}
	}
	return file.Error(err)
}
