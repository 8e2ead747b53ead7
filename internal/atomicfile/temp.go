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

// Unnamed says whether files have no name before Commit, where the system can make such files.
// Tests set it.
var Unnamed = true

// knownNames is how many temporary names of one path are known to all, so that what is left of a dead process is found
// without a look at the whole folder.
const knownNames = 64

// tempName returns temporary name number k beside path: from knownNames on, one that no other process will use. No
// name may have more than 255 bytes.
func tempName(path string, k int) string {
	dir, name := filepath.Split(path)
	name = strings.ToValidUTF8(name[:min(len(name), 200)], "")
	if k >= knownNames {
		return fmt.Sprintf("%s.%s.%016x.ndmap-tmp", dir, name, rand.Uint64())
	}
	return fmt.Sprintf("%s.%s.%d.ndmap-tmp", dir, name, k)
}

// withTempName calls do with temporary names of f, which makes the file of that name, until it finds none there.
func (f *File) withTempName(do func(name string) error) (err error) {
	for k := range 2 * knownNames {
		f.Temp = tempName(f.target, k)
		if err = do(f.Temp); !errors.Is(err, fs.ErrExist) {
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
			f.Close() // who has locked it removes it: of two that do, one may remove the file that takes its name next
			err = fs.ErrExist
		}
		return f.Error(err)
	})
}

// Absolute returns path as it is from any folder, or path itself if the folder is gone.
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
