package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A place is the location of a file: inside a folder from the command line, which symbolic links cannot leave, or, if
// folder is empty, a path from the command line.
type place struct {
	folder string // path of the folder, as given on the command line
	name   string // relative to the folder
}

// path returns the path of the file.
func (p place) path() string { return filepath.Join(p.folder, p.name) }

// join returns the place of the entry called name in the folder p.
func (p place) join(name string) place { return place{p.folder, filepath.Join(p.name, name)} }

// errOutside is the error for a symbolic link that leads out of the folder.
var errOutside = errors.New("a link that leaves the folder is not followed")

// open opens the file for reading.
func (p place) open() (f *os.File, err error) {
	if p.folder == "" {
		return os.OpenFile(p.name, os.O_RDONLY|atOnce, 0)
	}
	err = p.withRoot(func(root *os.Root, name string) (err error) {
		f, err = root.OpenFile(name, os.O_RDONLY|atOnce, 0)
		return err
	})
	return f, err
}

// stat returns the FileInfo of the file.
func (p place) stat() (info fs.FileInfo, err error) {
	if p.folder == "" {
		return os.Stat(p.name)
	}
	err = p.withRoot(func(root *os.Root, name string) (err error) {
		info, err = root.Stat(name)
		return err
	})
	return info, err
}

// withRoot calls f with the folder and the name of the file in it. The path of the folder may contain symbolic links.
// Its contents can be replaced by links at any time, so only os.Root decides whether a name leads out of the folder.
// os.Root refuses all absolute links; withRoot follows absolute links that lead back into the folder.
func (p place) withRoot(f func(root *os.Root, name string) error) error {
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	err = f(root, p.name)
	if err == nil || isSystemError(err) {
		return err
	}
	name, ok := p.resolve()
	if !ok {
		return errOutside
	}
	err = f(root, name) // root cannot leave the folder even if the entry has been replaced meanwhile
	if err == nil || isSystemError(err) {
		return err
	}
	return errOutside
}

// isSystemError reports whether err is an error of the operating system, as opposed to one of os.Root. Only errors of
// the operating system have a method Is.
func isSystemError(err error) bool {
	_, ok := errors.AsType[interface {
		error
		Is(error) bool
	}](err)
	return ok
}

// resolve returns the name of the file relative to the folder, without symbolic links. ok is false if the file is
// outside the folder.
func (p place) resolve() (name string, ok bool) {
	folder, err := filepath.EvalSymlinks(p.folder)
	if err != nil {
		return "", false
	}
	if folder, err = filepath.Abs(folder); err != nil { // absolute links have complete paths
		return "", false
	}
	path, err := filepath.EvalSymlinks(filepath.Join(folder, p.name))
	if err != nil {
		return "", false
	}
	name, err = filepath.Rel(folder, path)
	return name, err == nil && filepath.IsLocal(name)
}
