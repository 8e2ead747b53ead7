package array

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"runtime"
	"syscall"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/mmap"
)

// Save writes a to a .npy file at path, byte for byte as numpy.save does, and replaces a file that is there. At every
// moment, and after a crash, path is the old file or the whole new one, which is synced under a temporary name in the
// same folder and renamed. A process that has the old file open or mapped keeps it, and so do other names of it. A
// symbolic link at path stays, and the file that it leads to is replaced. What is not a regular file is left as it is,
// with an error. Windows replaces none that is read-only, open or mapped.
//
// The new file belongs to the user who saves. It keeps the group, the permissions and on Linux the POSIX ACL of the old
// one, or, where the system does not let it, is open to nobody whom the old one was closed to. A process that is killed
// leaves a file .NAME.*.ndmap-tmp, which may be removed when no process is saving. Errors of the system are
// *[fs.PathError] or wrap one; for a dtype that cannot be written to a header see [dtype.DType.Descr].
func Save(path string, a Array) error { return Config{}.Save(path, a) }

// Save is the function [Save] with the fields of cfg.
func (cfg Config) Save(path string, a Array) error {
	cfg.Replace = true
	return cfg.Convert(path, a, a.DType(), index.K)
}

// Convert writes a to a new .npy file at path with dtype d and in the order given; for how elements convert see [Copy].
// K is F where a is F contiguous and not C contiguous, as numpy.save has it, and else C. At every moment, and after a
// crash, there is a whole file at path, or none. A file that is there is left as it is, and the error wraps
// [fs.ErrExist]; with Config.Replace it is replaced. Dtypes that do not convert are a *[DTypeError].
func Convert(path string, a Array, d dtype.DType, order index.Order) error {
	return Config{}.Convert(path, a, d, order)
}

// Convert is the function [Convert] with the fields of cfg.
func (cfg Config) Convert(path string, a Array, d dtype.DType, order index.Order) error {
	a.view.mustBeSet()
	if err := cfg.check(forConvert); err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	if !cfg.Replace { // only to fail early; publish decides
		if _, err := os.Lstat(path); err == nil {
			return &fs.PathError{Op: "create", Path: path, Err: syscall.EEXIST}
		}
	}
	h, head, err := newHeader(d, a.view.fileOrder(order), a.Shape())
	if err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	f, err := cfg.publish(path, h, head, false, func(f *File) error { return cfg.fill(f, a) })
	if f != nil {
		err = errors.Join(err, f.Close())
	}
	return err
}

// publish makes the file that h describes under a temporary name, calls fill to write and
// store it, and renames it to path. If keep is true the file stays open, by the mapping with
// which it was made: what is at path may be the file of somebody else by now.
func (cfg Config) publish(path string, h npy.Header, head []byte, keep bool, fill func(*File) error) (*File, error) {
	file, err := atomicfile.New(path, cfg.Replace)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	file.Observe = func(op, path string) { observe(op, path, 0, 0) }
	file.NoSync = cfg.NoSync
	named := false
	var f *File
	defer func() { // also when cfg.Progress panics
		if !named {
			if f != nil {
				f.Close()
			}
			file.Remove()
		}
	}()
	mapped, err := file.Dup()
	if err != nil {
		return nil, err
	}
	if f, err = cfg.create(mapped, path, h, head); err != nil {
		mapped.Close()
		return nil, err
	}
	f.temp = file.Temp
	err = fill(f)
	if !keep || runtime.GOOS == "windows" { // there no file that is mapped is renamed
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return nil, err
	}
	named, err = file.Commit()
	switch {
	case !keep || !named:
		return nil, err
	case runtime.GOOS == "windows":
		if f, err = cfg.reopen(path, f); err != nil {
			return nil, err
		}
	}
	f.temp = ""
	if err != nil { // of the name, which may not be on the disk
		f.Close()
		return nil, err
	}
	return f, nil
}

// reopen opens the file at path, which has just got that name, if it is an array like f.
// Windows replaces no file that is mapped, so the path means that file once it is.
func (cfg Config) reopen(path string, like *File) (*File, error) {
	cfg.Mode, cfg.Replace, cfg.NoSync, cfg.MaxHeader = mmap.ReadWrite, false, false, math.MaxInt32
	if like.headerless() {
		return cfg.OpenRaw(path, like.DataOffset(), like.h.DType, like.h.Order, like.h.Shape...)
	}
	f, err := cfg.Open(path)
	if err != nil {
		return nil, err
	}
	if !f.DType().Equal(like.DType()) || !f.Layout().Equal(like.Layout()) {
		f.Close()
		return nil, &fs.PathError{Op: "create", Path: path, Err: mmap.ErrReplaced}
	}
	return f, nil
}
