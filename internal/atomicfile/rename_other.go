//go:build !(darwin || linux || windows)

package atomicfile

import "errors"

func renameNew(from, to string) error { return errors.ErrUnsupported }
