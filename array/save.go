package array

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
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
// becomes of the elements is said at [Copy]. Order K is the order that a has, see
// [Array.Clone]. A file that is there is left as it is, and the error wraps
// fs.ErrExist; with Config.Replace it is replaced. At every moment, and after a
// crash, there is a whole file at path, or none. It takes no memory in proportion
// to a.
func Convert(path string, a Array, d dtype.DType, order index.Order) error {
	return Config{}.Convert(path, a, d, order)
}

// Convert is the function [Convert] with what else the Config says.
func (cfg Config) Convert(path string, a Array, d dtype.DType, order index.Order) error {
	a.mustBeSet()
	if !cfg.Replace { // only to fail early; publish decides
		if _, err := os.Lstat(path); err == nil {
			return &fs.PathError{Op: "create", Path: path, Err: syscall.EEXIST}
		}
	}
	return cfg.beside(path, d, a.resolve(order), a.Shape(), func(f *File) error { return cfg.fill(f, a) })
}

// beside makes a file beside path, has it filled and stored, and gives it that name.
func (cfg Config) beside(path string, d dtype.DType, order index.Order, shape []int, fill func(*File) error) error {
	file, old, err := target(path, cfg.Replace)
	if err != nil {
		return err
	}
	tmp := tempName(file)
	f, err := Config{Sparse: cfg.Sparse}.Create(tmp, d, order, shape...)
	if err != nil {
		return renamed(err, tmp, path)
	}
	done := false
	defer func() { // also when cfg.Progress panics
		if !done {
			f.Close()
			os.Remove(tmp)
		}
	}()
	// Before there is anything in it that not everybody may read. Windows has
	// nothing of the kind.
	if old != nil && runtime.GOOS != "windows" {
		err = os.Chmod(tmp, old.Mode().Perm())
	}
	if err == nil {
		err = fill(f)
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = publish(tmp, file, cfg.Replace)
	}
	if err != nil {
		return renamed(err, tmp, path)
	}
	done = true
	return syncDir(filepath.Dir(file))
}

// target is the file that path stands for: where that is a link to a file to be
// replaced, the file and not the link. old is that file, nil if there is none. Only
// a regular file is replaced: a device, say, is more than its name.
func target(path string, replace bool) (file string, old fs.FileInfo, err error) {
	if !replace {
		return path, nil, nil
	}
	file = path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		file = real
	}
	old, err = os.Stat(file)
	switch {
	case err != nil:
		return file, nil, nil // if more is wrong with it, Create will say so
	case old.IsDir():
		err = syscall.EISDIR
	case !old.Mode().IsRegular():
		err = errors.New("not a regular file")
	default:
		return file, old, nil
	}
	return "", nil, &fs.PathError{Op: "create", Path: path, Err: err}
}

// tempName is a name beside path that no other process will use. What is left of
// such files after a crash can be removed. No name may have more than 255 bytes.
func tempName(path string) string {
	dir, name := filepath.Split(path)
	name = strings.ToValidUTF8(name[:min(len(name), 200)], "")
	return filepath.Join(dir, fmt.Sprintf(".%s.%016x.ndmap-tmp", name, rand.Uint64()))
}

// publish gives the finished file tmp its name.
func publish(tmp, path string, replace bool) error {
	defer observe("name", path, 0, 0)
	if replace {
		return os.Rename(tmp, path)
	}
	// A link, unlike a rename, never replaces what another process put there.
	err := os.Link(tmp, path)
	if err == nil {
		observe("name", path, 0, 0)
		return os.Remove(tmp)
	}
	if errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "create", Path: path, Err: syscall.EEXIST}
	}
	// No links on this file system: look, and rename.
	if _, err := os.Lstat(path); err == nil {
		return &fs.PathError{Op: "create", Path: path, Err: syscall.EEXIST}
	}
	return os.Rename(tmp, path)
}

// renamed puts the name that the caller knows in an error about a temporary file.
func renamed(err error, tmp, path string) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == tmp {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok && e.Old == tmp {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	if e, ok := errors.AsType[*mmap.FaultError](err); ok && e.Path == tmp {
		return &mmap.FaultError{Path: path, Offset: e.Offset, Addr: e.Addr, Err: e.Err}
	}
	if e, ok := errors.AsType[*DTypeError](err); ok && e.Path == tmp {
		return &DTypeError{path, e.Have, e.Want, e.Msg}
	}
	return err
}

// syncDir makes the names in a directory stable, where the system can. Windows
// syncs only what is open for writing, which a directory never is; NTFS has a
// journal of names.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) && !errors.Is(err, syscall.EINVAL) {
		return err
	}
	observe("sync", dir, 0, 0)
	return nil
}
