// Package atomicfile puts a finished file in the place of another: at every moment, and
// after a crash, a path stands for the old file or for the whole new one.
//
// Others may have rights in the folder, and put there what they like while the file is
// being made. So what is done to the temporary file is done by its descriptor, and before
// it gets its path the temporary name is checked to be that file. It is never open to more
// than the file that it replaces: see [New].
package atomicfile

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// A File is to get a path, and has a temporary name beside it, or none, until then. The caller
// fills it and calls Commit and Close, or Remove.
type File struct {
	*os.File        // open for reading and writing, without bytes; locked, where the system can
	Path     string // as the caller knows it
	Temp     string // the temporary name, "" while it has none

	// Observe, if there is one, is told of each step after which a directory may be
	// different after a crash: "name", and "sync" when it is stored.
	Observe func(op, path string)

	// NoSync makes Commit not wait for the disk.
	NoSync bool

	target  string // Path, or the file that it is a link to, wherever the program goes
	id      fs.FileInfo
	replace bool
	applied access // of the file that it replaces, which it was given
}

// An access is what a file has that says who may do what with it.
type access struct {
	exists bool
	mode   fs.FileMode
	gid    int
	acl    string
	hidden bool // the ACL could not be read
}

// New makes a file for path, which has a temporary name or none. If replace is true, a regular file that
// is there is replaced, and where path is a link, what it leads to and not the link. What is no
// regular file is an error: a device, say, is more than its name.
//
// The new file belongs to who makes it. It has the group, the permissions and on Linux
// the POSIX ACL of the file that it replaces, before it has any bytes. Where the group or the
// ACL cannot be given, it has the owner's permissions, and beyond them what every
// one of those had whom the old file named. So nobody but the owner gains access. A file
// that replaces none has what the system gives a new one.
func New(path string, replace bool) (*File, error) { return create(path, replace, replace) }

// NewFollowing makes a file for path as New does, that replaces none; but where path is a link to a
// name that is not there, it gets that name.
func NewFollowing(path string) (*File, error) { return create(path, false, true) }

func create(path string, replace, follow bool) (*File, error) {
	if path == "" {
		return nil, &fs.PathError{Op: "create", Err: fs.ErrNotExist}
	}
	f := &File{Path: path, target: path, replace: replace}
	var err error
	if follow {
		f.target, err = resolve(path)
	}
	if err == nil && replace {
		f.applied, err = accessOf(f.target)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	f.target = Absolute(f.target)
	removeAbandoned(f.target)
	perm := fs.FileMode(0o666)
	if f.applied.exists {
		perm = 0o600
	}
	if f.File = f.openUnnamed(perm); f.File == nil {
		if err := f.openNamed(perm); err != nil {
			return nil, f.Error(err)
		}
	}
	if f.id, err = f.Stat(); err == nil && f.applied.exists {
		err = f.applyAccess(f.applied)
	}
	if err != nil {
		f.Remove()
		return nil, f.Error(err)
	}
	return f, nil
}

// resolve follows links from path, as the system does when it makes a file: the last one may
// lead to a name that is not there.
func resolve(path string) (string, error) {
	if strings.HasSuffix(path, "/") {
		return path, nil // a folder, or an error when it is used
	}
	_, err := os.Stat(path)
	if err == nil {
		real, err := filepath.EvalSymlinks(path)
		return real, cause(err)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		if errors.Is(err, syscall.ENAMETOOLONG) {
			return path, nil // fails later, with a better message
		}
		return "", cause(err)
	}
	for range 40 { // as many as Linux follows
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link
		}
		if !filepath.IsAbs(to) {
			to = folder(path) + to
		}
		path = to
	}
	return "", errLoop
}

func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	return err
}

// accessOf returns who may do what with the file at path, if there is one. It is an
// error if that is not a regular file.
func accessOf(path string) (access, error) {
	fi, err := os.Lstat(path)
	switch {
	case err != nil:
		return access{}, nil // if more is wrong with it, whoever makes the file will say so
	case fi.IsDir():
		return access{}, syscall.EISDIR
	case fi.Mode()&fs.ModeSymlink != 0 && runtime.GOOS != "windows":
		return access{}, nil // it was put there just now: the name is replaced
	case !fi.Mode().IsRegular():
		return access{}, errors.New("not a regular file")
	}
	a := access{exists: true, mode: fi.Mode().Perm()}
	a.loadACL(path, fi)
	return a, nil
}

// folder returns the part of path before the name, as it stands: link/../x is not x.
func folder(path string) string {
	dir, _ := filepath.Split(path)
	return dir
}

// Commit gives the new file its path, and returns when that is on stable storage. After
// an error of the name the file is still to be removed, and named is false. On Windows, which
// renames nothing that is open, f is closed first; its mappings are up to the caller.
func (f *File) Commit() (named bool, err error) {
	if runtime.GOOS == "windows" {
		if err := f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
			return false, f.Error(err)
		}
	}
	if err := f.publish(); err != nil {
		return false, f.Error(err)
	}
	if f.NoSync {
		return true, nil
	}
	dir := cmp.Or(folder(f.target), ".")
	if err := f.syncDir(dir); err != nil {
		return true, &fs.PathError{Op: "create", Path: f.Path,
			Err: fmt.Errorf("the file is in place, but after a power failure its name may not be: %w", err)}
	}
	f.observe("sync", filepath.Clean(dir))
	return true, nil
}

func (f *File) publish() error {
	defer f.observe("name", f.target)
	if f.replace {
		return f.publishOver()
	}
	if f.Temp == "" {
		return f.pathError(f.linkUnnamed(f.target))
	}
	if err := f.checkTemp(); err != nil {
		return f.pathError(err)
	}
	// Neither replaces what another process put there.
	err := renameExcl(f.Temp, f.target)
	if unsupported(err) {
		if err = link(f.Temp, f.target); err == nil {
			f.observe("name", f.target)
			os.Remove(f.Temp) // the file has its path; a second name that stays is no error of it
			return nil
		}
		if !errors.Is(err, fs.ErrExist) { // no links on this file system
			// Look, and rename: what another process puts there in between is replaced.
			if _, err = os.Lstat(f.target); err != nil {
				return os.Rename(f.Temp, f.target)
			}
			err = fs.ErrExist
		}
	}
	return f.pathError(err)
}

// unsupported reports whether err says that a file cannot be renamed in one step if its new name is none.
func unsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}

// link and renameExcl are what tests replace.
var (
	link       = os.Link
	renameExcl = renameNew
)

// publishOver gives f its path, whether there is a file or not.
func (f *File) publishOver() error {
	// The file that is there may be another one than in the beginning, or have other
	// permissions.
	now, err := accessOf(f.target)
	if err == nil && now.exists && now != f.applied {
		err = f.applyAccess(now)
	}
	if err == nil && f.Temp == "" {
		err = f.withTempName(f.linkUnnamed)
	}
	if err == nil {
		err = f.checkTemp()
	}
	if err == nil {
		err = os.Rename(f.Temp, f.target)
		if errors.Is(err, fs.ErrNotExist) {
			err = cmp.Or(f.checkTemp(), err)
		}
	}
	if err == nil && runtime.GOOS != "windows" {
		// Whoever replaces a file, as here, puts a file there.
		if fi, e := os.Lstat(f.target); e == nil && !fi.Mode().IsRegular() {
			err = errForeign
		}
	}
	if _, ok := err.(*os.LinkError); ok {
		return err
	}
	return f.pathError(err)
}

// pathError returns err as one of the path that f was to get.
func (f *File) pathError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		err = syscall.EEXIST
	}
	return &fs.PathError{Op: "create", Path: f.Path, Err: cause(err)}
}

// checkTemp returns an error if the temporary name stands for anything but f. Who may write to the
// folder may still put something else there in the instant that follows, as he may at Path
// itself: then the path is that, and nothing that is not his has changed.
func (f *File) checkTemp() error {
	if runtime.GOOS == "windows" {
		return nil // names of open files stay
	}
	fi, err := os.Lstat(f.Temp)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return cause(err)
	case err != nil:
		return errors.New("the temporary file has lost its name: somebody else removed or moved it")
	case !os.SameFile(fi, f.id):
		return errForeign
	}
	return nil
}

var errForeign = errors.New("the name of the temporary file is another file now: somebody else put it there")

func (f *File) observe(op, path string) {
	if f.Observe != nil {
		f.Observe(op, path)
	}
}

// Remove closes the new file and removes it, if its temporary name stands for it.
func (f *File) Remove() {
	if f.Temp == "" {
		f.Close()
		return
	}
	Discard(f, f.id, f.Temp, nil)
}

// Error returns err with the path that the caller knows in place of the temporary name.
func (f *File) Error(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && (e.Path == f.Temp || f.File != nil && e.Path == f.Name()) {
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
	if err := d.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrInvalid) &&
		!errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// syncDir is SyncDir of the folder that f is in. Where that may not be opened, as with
// permissions 0333, all of the file system is stored, if that can be.
func (f *File) syncDir(dir string) error {
	err := SyncDir(dir)
	if errors.Is(err, fs.ErrPermission) && f.syncAll() == nil {
		return nil
	}
	return err
}
