package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/ndmap/ndmap/internal/atomicfile"
)

// ErrLocked is wrapped by the error of Open and Create with [Config].Lock while others have a
// lock on the file that excludes the one asked for, and by the error of [Map.Lock] when it
// has waited in vain. Retrying may succeed.
var ErrLocked = errors.New("locked")

// acquire takes the lock that a mapping of f in mode has, at once or not at
// all. It ends when f is closed. The error is a *fs.PathError.
func acquire(f *os.File, path string, mode Mode) error {
	exclusive := mode == ReadWrite
	ok, err := atomicfile.TryLock(f, exclusive)
	if err == nil && !ok {
		err = refused(f, exclusive)
	}
	if err != nil {
		return &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	return nil
}

// refused is why f could not be locked: what those who have it do with the file.
func refused(f *os.File, exclusive bool) error {
	// Who may not write but may read has met a reader.
	by := "writing"
	if exclusive {
		if ok, _ := atomicfile.TryLock(f, false); ok {
			by = "reading"
			atomicfile.Unlock(f)
		}
	}
	return fmt.Errorf("%w: it is open for %s, in another process or in this one", ErrLocked, by)
}
