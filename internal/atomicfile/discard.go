package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
)

var errNotOurs = errors.New("its name is another file now")

// Discard closes f, of an incomplete file that id describes, and removes the file, if path is that file
// still and no other that somebody has put there. It returns err, why the file is incomplete, and says if it
// was left.
func Discard(f io.Closer, id fs.FileInfo, path string, err error) error {
	now, left := os.Lstat(path)
	if left == nil && !os.SameFile(now, id) {
		left = errNotOurs
	}
	if runtime.GOOS == "windows" { // which removes nothing that is open, nor lets it be replaced
		f.Close()
	} else {
		defer f.Close() // until then no other file has this id
	}
	if left == nil {
		left = os.Remove(path)
	}
	if left != nil && !errors.Is(left, fs.ErrNotExist) {
		return fmt.Errorf("%w; the incomplete file was left: %w", err, left)
	}
	return err
}
