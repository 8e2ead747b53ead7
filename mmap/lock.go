package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ndmap/ndmap/internal/atomicfile"
)

// ErrLocked is wrapped by the error of Open and Create with [Config].Lock if another lock on the
// file excludes the requested one, and by the error of [Map.Lock] if the lock did not become free
// in time. A later attempt may succeed.
var ErrLocked = errors.New("locked")

// acquire takes the lock for a mapping of f in mode without waiting. Closing f releases the lock.
// The error is a *fs.PathError.
func acquire(f *os.File, path string, mode Mode) error {
	exclusive := mode == ReadWrite
	ok, err := atomicfile.TryLock(f, exclusive)
	if err == nil && !ok {
		err = lockedError(f, exclusive)
	}
	if err != nil {
		return &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	return nil
}

// lockedError returns the error for a lock on f that other holders exclude. It says whether the holders
// read or write the file.
func lockedError(f *os.File, exclusive bool) error {
	// If a shared lock is free and an exclusive one is not, the holders are readers.
	by := "writing"
	if exclusive {
		if ok, _ := atomicfile.TryLock(f, false); ok {
			by = "reading"
			atomicfile.Unlock(f)
		}
	}
	return fmt.Errorf("%w: it is open for %s, in another process or in this one", ErrLocked, by)
}
