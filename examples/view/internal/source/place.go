package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A place is where a file is: in a folder that was named, which nothing leads out of, or, with no
// folder, at a path that was named.
type place struct {
	folder string // as it was named
	name   string // in the folder
}

// path returns the path of the file.
func (p place) path() string { return filepath.Join(p.folder, p.name) }

// in returns the place of what has that name in the folder at p.
func (p place) in(name string) place { return place{p.folder, filepath.Join(p.name, name)} }

// errOutside is the error for a symbolic link that leads out of the folder that is shown.
var errOutside = errors.New("a link that leaves the folder is not followed")

// open opens the file for reading.
func (p place) open() (f *os.File, err error) {
	if p.folder == "" {
		return os.OpenFile(p.name, os.O_RDONLY|atOnce, 0)
	}
	err = p.look(func(root *os.Root, name string) (err error) {
		f, err = root.OpenFile(name, os.O_RDONLY|atOnce, 0)
		return err
	})
	return f, err
}

// stat returns what the system says of the file.
func (p place) stat() (info fs.FileInfo, err error) {
	if p.folder == "" {
		return os.Stat(p.name)
	}
	err = p.look(func(root *os.Root, name string) (err error) {
		info, err = root.Stat(name)
		return err
	})
	return info, err
}

// look calls f with the folder and a name in it. The folder is whatever its path leads to, as for the
// file that is named; what it has may be exchanged for links at any time, so that only os.Root
// says what leads out of it. That refuses absolute links, too: look follows those that lead back.
func (p place) look(f func(root *os.Root, name string) error) error {
	root, err := os.OpenRoot(p.folder)
	if err != nil {
		return err
	}
	defer root.Close()
	err = f(root, p.name)
	if err == nil || ofSystem(err) {
		return err
	}
	name, ok := p.resolve()
	if !ok {
		return errOutside
	}
	err = f(root, name) // may be anything by now, but not outside
	if err == nil || ofSystem(err) {
		return err
	}
	return errOutside
}

// ofSystem reports whether the system says so, and not os.Root. Errors of the former answer [errors.Is].
func ofSystem(err error) bool {
	_, ok := errors.AsType[interface {
		error
		Is(error) bool
	}](err)
	return ok
}

// resolve returns a name without symbolic links for the file, where it is in the folder.
func (p place) resolve() (name string, ok bool) {
	folder, err := filepath.EvalSymlinks(p.folder)
	if err != nil {
		return "", false
	}
	if folder, err = filepath.Abs(folder); err != nil { // links have whole paths
		return "", false
	}
	path, err := filepath.EvalSymlinks(filepath.Join(folder, p.name))
	if err != nil {
		return "", false
	}
	name, err = filepath.Rel(folder, path)
	return name, err == nil && filepath.IsLocal(name)
}
