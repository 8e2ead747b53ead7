//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

var errLoop = errors.New("too many levels of symbolic links")

// Dup returns the file of f itself: there is no other descriptor of it.
func (f *File) Dup() (*os.File, error) { return f.File, nil }

func (a *access) loadACL(string, fs.FileInfo) {}

// applyAccess does nothing: Windows has nothing of the kind, and a new file has the rights that
// its folder gives.
func (f *File) applyAccess(a access) error {
	f.applied = a
	return nil
}
