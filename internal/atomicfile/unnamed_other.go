//go:build !linux || android

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
)

// openUnnamed returns nil: the system has no unnamed files that can get a name later, or, like Android, does not let
// programs name them.
func (f *File) openUnnamed(fs.FileMode) *os.File { return nil }

func (f *File) linkUnnamed(string) error { return errors.ErrUnsupported }
