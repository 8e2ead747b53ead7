package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// lockByte is the byte that locks cover. It is beyond the end of every file, because a lock of Windows blocks reads and
// writes of the bytes that it covers.
var lockByte = windows.Overlapped{OffsetHigh: 1 << 30}

// TryLock locks f, or returns false if another open of the same file holds a conflicting lock.
func TryLock(f *os.File, exclusive bool) (bool, error) {
	flags := uint32(windows.LOCKFILE_FAIL_IMMEDIATELY)
	if exclusive {
		flags |= windows.LOCKFILE_EXCLUSIVE_LOCK
	}
	at := lockByte
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

// Unlock releases the lock of f.
func Unlock(f *os.File) error {
	at := lockByte
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at)
}

// Turn is like Turn on Unix. Windows does not replace open files, so Turn locks another file next to path: only one
// process can open that file, and Windows removes it when the process closes it or dies. While it holds that file, Turn
// tries the lock of path itself and releases it again.
func Turn(path string) (end func(), ok bool, err error) {
	real, err := resolve(path)
	if err != nil {
		return nil, false, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	dir, name := filepath.Split(real)
	p, err := windows.UTF16PtrFromString(dir + "." + name + ".lock.ndmap-tmp")
	if err != nil {
		return nil, false, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	h, err := windows.CreateFile(p, windows.GENERIC_WRITE|windows.DELETE, 0, nil, windows.OPEN_ALWAYS,
		windows.FILE_ATTRIBUTE_HIDDEN|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	switch err {
	case nil:
	case windows.ERROR_SHARING_VIOLATION, windows.ERROR_ACCESS_DENIED: // in use, or being removed
		return nil, false, nil
	default:
		return nil, false, &fs.PathError{Op: "lock", Path: path, Err: err}
	}
	f, err := os.Open(path)
	if err == nil {
		ok, err = TryLock(f, true)
		f.Close()
	}
	if !ok || err != nil {
		windows.CloseHandle(h)
		return nil, false, err
	}
	return func() { windows.CloseHandle(h) }, true, nil
}
