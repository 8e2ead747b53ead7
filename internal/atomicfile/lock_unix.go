//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// TryLock locks f, or returns false if a lock of another open of the file excludes that. It calls flock(2), not
// fcntl(2): a lock of fcntl belongs to the process, so that two opens in one process do not exclude each other, and
// closing any descriptor of the file ends it. Where the file system has no locks, the error wraps
// errors.ErrUnsupported.
func TryLock(f *os.File, exclusive bool) (bool, error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	switch err := flock(int(f.Fd()), how|unix.LOCK_NB); err {
	case nil:
		return true, nil
	case unix.EWOULDBLOCK:
		return false, nil
	case unix.ENOLCK: // NFS, where the server has no locks
		return false, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	default:
		return false, err
	}
}

// Unlock releases the lock of f.
func Unlock(f *os.File) error { return flock(int(f.Fd()), unix.LOCK_UN) }

// openFile and flock are what tests replace.
var (
	openFile = os.OpenFile
	flock    = func(fd, how int) error {
		for {
			if err := unix.Flock(fd, how); err != unix.EINTR { // NFS asks a server
				return err
			}
		}
	}
)

// Turn takes the exclusive lock of the file at path, for a program that replaces the file. It returns false if the lock
// is taken, or if the path became another file in the meantime: the lock of a file that was replaced excludes nobody.
// The caller tries again, and calls end when it has replaced the file.
//
// Turn returns true without a lock on a file system without locks, and on NFS for a file that cannot be opened for
// writing. NFS makes flock(2) a lock of fcntl(2), and an exclusive one needs that.
func Turn(path string) (end func(), ok bool, err error) {
	if fi, err := os.Stat(path); err == nil && !fi.Mode().IsRegular() {
		return func() {}, true, nil // the caller refuses it; opening a device may have effects
	}
	const flags = unix.O_NONBLOCK | unix.O_NOCTTY
	writable := true
	f, err := openFile(path, os.O_RDWR|flags, 0)
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // flock needs no permission to write
		writable = false
		f, err = openFile(path, os.O_RDONLY|flags, 0)
	}
	switch {
	case errors.Is(err, unix.EWOULDBLOCK): // the holder of a lease has just been asked to give it up
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
		Unlock(f) // a process that is just being started may have a copy of the descriptor
		f.Close()
	}, true, nil
}
