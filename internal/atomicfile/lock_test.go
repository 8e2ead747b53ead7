//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestTurn tests that Turn takes the lock of the file at the path, and returns true on systems without locks.
func TestTurn(t *testing.T) {
	denied := func(name string, flag int, perm fs.FileMode) (*os.File, error) {
		if flag&os.O_RDWR != 0 {
			return nil, &fs.PathError{Op: "open", Path: name, Err: unix.EACCES}
		}
		return os.OpenFile(name, flag, perm)
	}
	leased := func(name string, flag int, perm fs.FileMode) (*os.File, error) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: unix.EWOULDBLOCK}
	}
	replaced := func(name string, flag int, perm fs.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, perm)
		return f, errors.Join(err, os.WriteFile(name+"2", nil, 0o600), os.Rename(name+"2", name))
	}
	removed := func(name string, flag int, perm fs.FileMode) (*os.File, error) {
		f, err := os.OpenFile(name, flag, perm)
		return f, errors.Join(err, os.Remove(name))
	}
	for _, tt := range []struct {
		name       string
		open       func(name string, flag int, perm fs.FileMode) (*os.File, error)
		flock      error // the error of flock for an exclusive lock
		ok, locked bool
		err        error
	}{
		{"a file", os.OpenFile, nil, true, true, nil},
		{"not writable", denied, nil, true, true, nil},
		{"no locks", os.OpenFile, unix.ENOLCK, true, false, nil},
		{"no system call", os.OpenFile, unix.ENOSYS, true, false, nil},
		{"not writable, on NFS", denied, unix.EBADF, true, false, nil},
		{"writable, and not open", os.OpenFile, unix.EBADF, false, false, unix.EBADF},
		{"another error", os.OpenFile, unix.EIO, false, false, unix.EIO},
		{"taken", os.OpenFile, unix.EWOULDBLOCK, false, false, nil},
		{"leased", leased, nil, false, false, nil},
		{"replaced meanwhile", replaced, nil, false, false, nil},
		{"removed meanwhile", removed, nil, false, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			system := flock
			defer func() { openFile, flock = os.OpenFile, system }()
			path := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			openFile = tt.open
			flock = func(fd, how int) error {
				if tt.flock != nil {
					return tt.flock
				}
				return system(fd, how)
			}
			end, ok, err := Turn(path)
			if ok != tt.ok || !errors.Is(err, tt.err) || ok != (end != nil) {
				t.Fatalf("Turn: %v, %v", ok, err)
			}
			openFile, flock = os.OpenFile, system
			if !ok {
				return
			}
			other, free, err := Turn(path)
			if free == tt.locked || err != nil {
				t.Errorf("second Turn: %v, %v", free, err)
			}
			if free {
				other()
			}
			end()
			if other, ok, err := Turn(path); !ok || err != nil {
				t.Errorf("Turn after the end of the first one: %v, %v", ok, err)
			} else {
				other()
			}
		})
	}
	dir := t.TempDir()
	if end, ok, err := Turn(dir); !ok || err != nil {
		t.Errorf("a folder: %v, %v", ok, err)
	} else {
		end()
	}
	if _, ok, err := Turn(dir + "/missing"); ok || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v, %v", ok, err)
	}
}

// TestWait tests that Wait calls try until it succeeds. If try does not succeed in the given time, Wait calls it once
// more with last set, and returns the error.
func TestWait(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		wait  time.Duration
		ok    int // the number of the try that succeeds
		err   error
		tries int // wanted number of calls of try; 0 means more than one
	}{
		{time.Second, 1, nil, 1}, {time.Minute, 3, nil, 3}, {-1, 0, broken, 1}, {3 * time.Millisecond, 0, broken, 0},
	} {
		start, n := time.Now(), 0
		err := Wait(tt.wait, func(last bool) (bool, error) {
			n++
			if last {
				return false, broken
			}
			return n == tt.ok, nil
		})
		if err != tt.err || tt.tries > 0 && n != tt.tries || tt.tries == 0 && n < 2 ||
			err != nil && time.Since(start) < tt.wait {
			t.Errorf("%+v: %v after %d tries", tt, err, n)
		}
	}
}
