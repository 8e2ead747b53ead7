//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package mmap

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"
)

func sameFile(a, b fs.FileInfo) bool { return os.SameFile(a, b) }

func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

func statPath(path string) (fs.FileInfo, time.Time, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, time.Time{}, err
	}
	return fi, changeTime(nil, fi), nil
}

// checkNamed returns nil if path can no longer be looked up, as in a program that has given up its
// privileges, unless the file has no name left.
func checkNamed(f *os.File, id fs.FileInfo, path string) error {
	switch fi, err := os.Stat(path); {
	case err == nil && sameFile(fi, id):
		return nil
	case err == nil:
		return ErrReplaced
	case isMissing(err):
		return fmt.Errorf("%w: no such file", ErrReplaced)
	}
	if f != nil {
		if fi, err := f.Stat(); err == nil {
			if st, ok := fi.Sys().(*syscall.Stat_t); ok && st.Nlink == 0 {
				return fmt.Errorf("%w: no such file", ErrReplaced)
			}
		}
	}
	return nil
}
