//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

var errLoop = errors.New("too many levels of symbolic links")

// Dup returns the file of f itself, because the system cannot duplicate descriptors.
func (f *File) Dup() (*os.File, error) { return f.File, nil }

func (a *access) loadACL(string, fs.FileInfo) {}

// applyAccess only records a. Windows has no such permissions: a new file inherits the access rights of its folder.
func (f *File) applyAccess(a access) error {
	f.applied = a
	return nil
}
