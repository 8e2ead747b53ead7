//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package atomicfile

import (
	"errors"
	"os"
)

// TryLock returns an error: the system has no locks.
func TryLock(*os.File, bool) (bool, error) { return false, errors.ErrUnsupported }

// Unlock returns an error: the system has no locks.
func Unlock(*os.File) error { return errors.ErrUnsupported }

// Turn does nothing: the system has no locks.
func Turn(string) (end func(), ok bool, err error) { return func() {}, true, nil }
