//go:build !linux || android

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// openUnnamed returns nil: the system has no files without a name that can get one, or, on Android, does not let
// programs give it.
func (f *File) openUnnamed(fs.FileMode) *os.File { return nil }

func (f *File) linkUnnamed(string) error { return errors.ErrUnsupported }
