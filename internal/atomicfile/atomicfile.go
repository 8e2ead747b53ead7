// Package atomicfile puts a finished file in the place of another: at every moment, and
// after a crash, a path stands for the old file or for the whole new one.
package atomicfile

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
)

// A File is to get a path, and has a temporary name beside it until then. The caller
// makes a new file of that name, fills it, closes it, and calls Commit, or Remove.
type File struct {
	Path string // as the caller knows it
	Temp string // the temporary name

	// Observe, if there is one, is told of each step after which a directory may be
	// different after a crash: "name", and "sync" when it is stored.
	Observe func(op, path string)

	target  string      // Path, or the file that it is a link to
	old     fs.FileInfo // of the file that is replaced, nil if there is none
	replace bool
}

// New returns a File for path. If replace is true, a regular file that is there is
// replaced, and where path is a link to one, that file and not the link. What is no
// regular file is an error: a device, say, is more than its name.
func New(path string, replace bool) (*File, error) {
	f := &File{Path: path, target: path, replace: replace}
	if replace {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			f.target = real
		}
		old, err := os.Stat(f.target)
		switch {
		case err != nil: // if more is wrong with it, whoever makes the file will say so
		case old.IsDir():
			return nil, &fs.PathError{Op: "create", Path: path, Err: syscall.EISDIR}
		case !old.Mode().IsRegular():
			return nil, &fs.PathError{Op: "create", Path: path, Err: errors.New("not a regular file")}
		default:
			f.old = old
		}
	}
	f.Temp = tempName(f.target)
	return f, nil
}

// tempName returns a name beside path that no other process will use. What is left of
// such files after a crash can be removed. No name may have more than 255 bytes.
func tempName(path string) string {
	dir, name := filepath.Split(path)
	name = strings.ToValidUTF8(name[:min(len(name), 200)], "")
	return filepath.Join(dir, fmt.Sprintf(".%s.%016x.ndmap-tmp", name, rand.Uint64()))
}

// Protect gives the new file the permissions of the one that it replaces. It is called
// before there is anything in it that not everybody may read. Windows has nothing of
// the kind.
func (f *File) Protect() error {
	if f.old == nil || runtime.GOOS == "windows" {
		return nil
	}
	return os.Chmod(f.Temp, f.old.Mode().Perm())
}

// Commit gives the new file its path, and returns when that is on stable storage. After
// an error of the name the file is still to be removed.
func (f *File) Commit() error {
	if err := f.publish(); err != nil {
		return err
	}
	dir := filepath.Dir(f.target)
	if err := SyncDir(dir); err != nil {
		return err
	}
	f.observe("sync", dir)
	return nil
}

func (f *File) publish() error {
	defer f.observe("name", f.target)
	if f.replace {
		return os.Rename(f.Temp, f.target)
	}
	// A link, unlike a rename, never replaces what another process put there.
	err := os.Link(f.Temp, f.target)
	if err == nil {
		f.observe("name", f.target)
		os.Remove(f.Temp) // the file has its path; a second name that stays is no error of it
		return nil
	}
	if errors.Is(err, fs.ErrExist) {
		return &fs.PathError{Op: "create", Path: f.Path, Err: syscall.EEXIST}
	}
	// No links on this file system: look, and rename.
	if _, err := os.Lstat(f.target); err == nil {
		return &fs.PathError{Op: "create", Path: f.Path, Err: syscall.EEXIST}
	}
	return os.Rename(f.Temp, f.target)
}

func (f *File) observe(op, path string) {
	if f.Observe != nil {
		f.Observe(op, path)
	}
}

// Remove removes the new file. It is of no effect after Commit.
func (f *File) Remove() { os.Remove(f.Temp) }

// Error returns err with the path that the caller knows in place of the temporary name.
func (f *File) Error(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && e.Path == f.Temp {
		return &fs.PathError{Op: e.Op, Path: f.Path, Err: e.Err}
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok && e.Old == f.Temp {
		return &fs.PathError{Op: e.Op, Path: f.Path, Err: e.Err}
	}
	return err
}

// SyncDir makes the names in a directory stable, where the system can. Windows syncs
// only what is open for writing, which a directory never is; NTFS has a journal of
// names.
func SyncDir(dir string) error {
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
	return nil
}
