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
)

// Unnamed makes new files have no name before Commit, if the system supports that. Tests set it.
var Unnamed = true

// knownNames is the number of predictable temporary names of a path. New finds the files of dead processes by these
// names, without reading the whole folder.
const knownNames = 64

// tempName returns temporary name number k for path. Names with k ≥ knownNames are random, so that no other process
// uses them. The result is short enough for a limit of 255 bytes.
func tempName(path string, k int) string {
	dir, name := filepath.Split(path)
	name = strings.ToValidUTF8(name[:min(len(name), 200)], "")
	if k >= knownNames {
		return fmt.Sprintf("%s.%s.%016x.ndmap-tmp", dir, name, rand.Uint64())
	}
	return fmt.Sprintf("%s.%s.%d.ndmap-tmp", dir, name, k)
}

// withTempName calls try with temporary names of f until try creates a file of that name, or fails with an error other
// than fs.ErrExist.
func (f *File) withTempName(try func(name string) error) (err error) {
	for k := range 2 * knownNames {
		f.Temp = tempName(f.target, k)
		if err = try(f.Temp); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err != nil {
		f.Temp = ""
	}
	return err
}

// openNamed makes f with a temporary name.
func (f *File) openNamed(perm fs.FileMode) error {
	return f.withTempName(func(name string) (err error) {
		f.File, err = os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, perm)
		if err == nil && !f.claim() {
			f.Close() // removing it here, too, could remove the next file of that name
			err = fs.ErrExist
		}
		return f.Error(err)
	})
}

// Absolute returns an absolute form of path without cleaning it, or path itself if the working directory is gone.
func Absolute(path string) string {
	switch {
	case path == "" || filepath.IsAbs(path):
	case runtime.GOOS == "windows" && !os.IsPathSeparator(path[len(path)-1]):
		if abs, err := filepath.Abs(path); err == nil {
			return abs
		}
	case runtime.GOOS != "windows":
		if dir, err := os.Getwd(); err == nil { // link/../x is not x
			return dir + string(filepath.Separator) + path
		}
	}
	return path
}
