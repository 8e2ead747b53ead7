//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// TryLock locks f, or returns false if another open of the same file holds a conflicting lock. It calls flock(2), not
// fcntl(2): a lock of fcntl belongs to the process, so two opens in one process do not exclude each other, and closing
// any descriptor of the file ends the lock. On file systems without locks, the error wraps errors.ErrUnsupported.
func TryLock(f *os.File, exclusive bool) (bool, error) {
	op := unix.LOCK_SH
	if exclusive {
		op = unix.LOCK_EX
	}
	switch err := flock(int(f.Fd()), op|unix.LOCK_NB); err {
	case nil:
		return true, nil
	case unix.EWOULDBLOCK:
		return false, nil
	case unix.ENOLCK: // NFS without locks on the server
		return false, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	default:
		return false, err
	}
}

// Unlock releases the lock of f.
func Unlock(f *os.File) error { return flock(int(f.Fd()), unix.LOCK_UN) }

// Tests replace openFile and flock.
var (
	openFile = os.OpenFile
	flock    = func(fd, op int) error {
		for {
			if err := unix.Flock(fd, op); err != unix.EINTR { // NFS asks a server
				return err
			}
		}
	}
)

// Turn takes the exclusive lock of the file at path, for a program that replaces the file. It returns false if the lock
// is taken, or if the file at path was replaced in the meantime: the lock of a replaced file excludes nobody. The
// caller then tries again. After replacing the file, the caller calls end.
//
// Turn returns true without a lock on a file system without locks, and on NFS for a file that cannot be opened for
// writing. NFS implements flock(2) by fcntl(2), whose exclusive locks require a file that is open for writing.
func Turn(path string) (end func(), ok bool, err error) {
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return func() {}, true, nil // the caller rejects such files, and opening a device may have side effects
	}
	const flags = unix.O_NONBLOCK | unix.O_NOCTTY
	writable := true
	f, err := openFile(path, os.O_RDWR|flags, 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // flock does not need write permission
		writable = false
		f, err = openFile(path, os.O_RDONLY|flags, 0)
	}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK): // the system has just asked the holder of a lease to give it up
		return nil, false, nil
	case err != nil:
		return nil, false, err
	}
	ok, err = TryLock(f, true)
	if errors.Is(err, errors.ErrUnsupported) || err == unix.EBADF && !writable {
		return func() { f.Close() }, true, nil
	}
	if ok {
		var fi fs.FileInfo
		if fi, err = f.Stat(); err == nil {
			now, err := os.Stat(path)
			ok = err == nil && os.SameFile(now, fi)
		}
	}
	if !ok || err != nil {
		f.Close()
		return nil, false, err
	}
	return func() {
		Unlock(f) // closing f may not be enough, as a child process may have a copy of the descriptor
		f.Close()
	}, true, nil
}
