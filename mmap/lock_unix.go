//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package mmap

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lock is flock(2), not fcntl(2): a lock of fcntl is the process's, so that two
// opens in one process do not exclude each other, and the close of any
// descriptor of the file ends it.
func lock(f *os.File, exclusive bool) (bool, error) {
	how := unix.LOCK_SH
	if exclusive {
		how = unix.LOCK_EX
	}
	switch err := flock(f, how|unix.LOCK_NB); err {
	case nil:
		return true, nil
	case unix.EWOULDBLOCK:
		return false, nil
	case unix.ENOLCK: // says NFS where the server has no locks
		return false, fmt.Errorf("%w: %w", errors.ErrUnsupported, err)
	default:
		return false, err
	}
}

func unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR { // NFS asks a server
			return err
		}
	}
}
