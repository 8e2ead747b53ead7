package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

var errNotOurs = errors.New("another process replaced it")

// Discard closes f, an incomplete file that id describes. It removes the file if path still refers to it. It returns
// err, the reason why the file is incomplete, and adds a note if the file could not be removed.
func Discard(f io.Closer, id fs.FileInfo, path string, err error) error {
	fi, left := os.Lstat(path)
	if left == nil && !os.SameFile(fi, id) {
		left = errNotOurs
	}
	if runtime.GOOS == "windows" { // Windows neither removes nor replaces open files
		f.Close()
	} else {
		defer f.Close() // while f is open, no other file can have this id
	}
	if left == nil {
		left = os.Remove(path)
	}
	if left != nil && !errors.Is(left, fs.ErrNotExist) {
		return fmt.Errorf("%w; the incomplete file was not removed: %w", err, left)
	}
	return err
}
