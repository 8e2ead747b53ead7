// Package atomicfile replaces files atomically: at any time, even after a crash, the path names the old file or the
// complete new file.
//
// Other users may have write access to the folder, and may change it while the file is being made. Therefore all
// changes to the temporary file go through its descriptor, and before atomicfile renames the file, it checks that the
// temporary name still refers to it. The new file never grants more access than the file that it replaces: see [New].
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

// A File is a new file that Commit publishes at Path. Until then it has a temporary name in the same folder, or no
// name. The caller fills it and then calls Commit and Close, or Remove.
type File struct {
	*os.File        // open for reading and writing, empty; locked if the system has locks
	Path     string // as passed by the caller
	Temp     string // the temporary name, or "" if it has none

	// Observe, if not nil, is called after each step that may change the contents of a directory after a crash: with
	// "name" when the name changes, and with "sync" when the directory is synced.
	Observe func(op, path string)

	// NoSync makes Commit return without waiting for the disk.
	NoSync bool

	target  string // absolute Path, with symbolic links resolved
	id      fs.FileInfo
	replace bool
	applied access // access of the replaced file, which f has been given
}

// An access holds the attributes of a file that determine who may use it.
type access struct {
	exists bool
	mode   fs.FileMode
	gid    int
	acl    string
	hidden bool // the ACL could not be read
}

// New creates a file that Commit publishes at path. It has a temporary name or no name until Commit. If replace is
// true, Commit replaces an existing regular file; if path is a symbolic link, it replaces the target and keeps the
// link. If path exists and is not a regular file, New returns an error, because replacing the name of a device, for
// example, does not write to it.
//
// The new file belongs to the current user. Before it has any bytes, it gets the group, the permissions and, on Linux,
// the POSIX ACL of the file that it replaces. If the group or the ACL cannot be set, it gets the permissions of the
// owner, and for all others only the permissions that everybody named by the old file had. So nobody except the owner
// gains access. A file that replaces nothing has the default permissions of the system.
func New(path string, replace bool) (*File, error) { return create(path, replace, replace) }

// NewFollowing makes a file for path like New without replacing a file. If path is a symbolic link to a name that does
// not exist, the file gets that name.
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

// resolve follows symbolic links from path, as the system does when it creates a file: the last link may lead to a
// name that does not exist.
func resolve(path string) (string, error) {
	if strings.HasSuffix(path, "/") {
		return path, nil // path is a folder, or using it will return the error
	}
	_, err := os.Stat(path)
	if err == nil {
		real, err := filepath.EvalSymlinks(path)
		return real, cause(err)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		if errors.Is(err, syscall.ENAMETOOLONG) {
			return path, nil // opening it fails later with a better message
		}
		return "", cause(err)
	}
	for range 40 { // the limit of Linux
		to, err := os.Readlink(path)
		if err != nil {
			return path, nil // not a link
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

// accessOf returns the access of the file at path, or a zero access if no file exists. It returns an error if path is
// not a regular file.
func accessOf(path string) (access, error) {
	fi, err := os.Lstat(path)
	switch {
	case err != nil:
		return access{}, nil // other errors are returned when the file is created
	case fi.IsDir():
		return access{}, syscall.EISDIR
	case fi.Mode()&fs.ModeSymlink != 0 && runtime.GOOS != "windows":
		return access{}, nil // a link that was just created will be replaced
	case !fi.Mode().IsRegular():
		return access{}, errors.New("not a regular file")
	}
	a := access{exists: true, mode: fi.Mode().Perm()}
	a.loadACL(path, fi)
	return a, nil
}

// folder returns the part of path before the name, without cleaning it: link/../x is not x.
func folder(path string) string {
	dir, _ := filepath.Split(path)
	return dir
}

// Commit publishes the file at its path, and returns when the name is on stable storage. If it cannot publish the file,
// named is false, and the caller must call Remove. On Windows, which does not rename open files, Commit closes f first;
// its mappings are the responsibility of the caller.
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
			Err: fmt.Errorf("the file is complete, but its name may be lost in a power failure: %w", err)}
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
	// Neither renameExcl nor link replaces a file of another process.
	err := renameExcl(f.Temp, f.target)
	if isUnsupported(err) {
		if err = link(f.Temp, f.target); err == nil {
			f.observe("name", f.target)
			os.Remove(f.Temp) // the file has its path, so failing to remove the temporary name is not an error
			return nil
		}
		if !errors.Is(err, fs.ErrExist) { // the file system has no hard links
			// Check and rename. A file that another process creates in between is replaced.
			if _, err = os.Lstat(f.target); err != nil {
				return os.Rename(f.Temp, f.target)
			}
			err = fs.ErrExist
		}
	}
	return f.pathError(err)
}

// isUnsupported reports whether err says that a file cannot be renamed to an unused name in one step.
func isUnsupported(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL)
}

// Tests replace link and renameExcl.
var (
	link       = os.Link
	renameExcl = renameNew
)

// publishOver publishes f at its path, and replaces an existing file.
func (f *File) publishOver() error {
	// The existing file may have been replaced since New, or have other permissions.
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
		// Only a regular file can come from another program that replaces the file atomically.
		if fi, e := os.Lstat(f.target); e == nil && !fi.Mode().IsRegular() {
			err = errForeign
		}
	}
	if _, ok := err.(*os.LinkError); ok {
		return err
	}
	return f.pathError(err)
}

// pathError returns err as a *fs.PathError with the Path of f.
func (f *File) pathError(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrExist):
		err = syscall.EEXIST
	}
	return &fs.PathError{Op: "create", Path: f.Path, Err: cause(err)}
}

// checkTemp returns an error if the temporary name does not refer to f. A user with write access to the folder can
// still replace the name in the instant after the check, just as the user can replace Path itself. Then path is a file
// of that user, and no files of other users have changed.
func (f *File) checkTemp() error {
	if runtime.GOOS == "windows" {
		return nil // open files keep their names
	}
	fi, err := os.Lstat(f.Temp)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return cause(err)
	case err != nil:
		return errors.New("another process removed or moved the temporary file")
	case !os.SameFile(fi, f.id):
		return errForeign
	}
	return nil
}

var errForeign = errors.New("another process replaced the temporary file")

func (f *File) observe(op, path string) {
	if f.Observe != nil {
		f.Observe(op, path)
	}
}

// Remove closes the new file and removes it if its temporary name still refers to it.
func (f *File) Remove() {
	if f.Temp == "" {
		f.Close()
		return
	}
	Discard(f, f.id, f.Temp, nil)
}

// Error returns err with Path instead of the temporary name.
func (f *File) Error(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && (e.Path == f.Temp || f.File != nil && e.Path == f.Name()) {
		return &fs.PathError{Op: e.Op, Path: f.Path, Err: e.Err}
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok && e.Old == f.Temp {
		return &fs.PathError{Op: e.Op, Path: f.Path, Err: e.Err}
	}
	return err
}

// SyncDir syncs the names in a directory to stable storage if the system can. Windows syncs only files that are open
// for writing, which a directory never is; NTFS has a journal of names.
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

// syncDir syncs the folder of f. If the folder cannot be opened, for example with permissions 0333, it syncs the whole
// file system if the system can.
func (f *File) syncDir(dir string) error {
	err := SyncDir(dir)
	if errors.Is(err, fs.ErrPermission) && f.syncAll() == nil {
		return nil
	}
	return err
}
