//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package oracle

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"syscall"
)

// A run is a folder for the temporary files of one process: root/run-N. The process holds a lock on root/run-N.lock.
type run struct {
	root *os.Root
	name string
	lock *os.File
}

// runs holds the runs of this process, by the base of their paths.
var runs struct {
	sync.Mutex
	in map[string]*run
}

// runFolder returns the path of this process's run in base. The first call for a base creates the run, and removes the
// runs of processes that have ended.
func runFolder(base string) (string, error) {
	base, err := filepath.Abs(base)
	if err != nil {
		return "", err
	}
	runs.Lock()
	defer runs.Unlock()
	r := runs.in[base]
	if r == nil {
		root, err := ownFolder(base)
		if err != nil {
			return "", err
		}
		report(sweep(root))
		if r, err = createRun(root); err != nil {
			return "", err
		}
		if runs.in == nil {
			runs.in = map[string]*run{}
		}
		runs.in[base] = r
	}
	return filepath.Join(r.root.Name(), r.name), nil
}

// removeRuns removes the runs of this process.
func removeRuns() {
	runs.Lock()
	defer runs.Unlock()
	for _, r := range runs.in {
		report(r.remove())
	}
	clear(runs.in)
}

func report(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "temporary files of tests are left:", err)
	}
}

// ownFolder opens base/ndmap-test-UID, and creates it if it does not exist. It returns an error if another user owns
// the folder or can write to it.
func ownFolder(base string) (*os.Root, error) {
	dir := filepath.Join(base, fmt.Sprintf("ndmap-test-%d", os.Getuid()))
	if err := os.Mkdir(dir, 0o711); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	entry, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !entry.IsDir() {
		return nil, fmt.Errorf("%s: not a folder", dir)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	switch {
	case err != nil:
	case !os.SameFile(entry, opened):
		err = fmt.Errorf("%s: replaced while it was opened", dir)
	case opened.Sys().(*syscall.Stat_t).Uid != uint32(os.Getuid()):
		err = fmt.Errorf("%s: belongs to another user", dir)
	case opened.Mode().Perm()&0o022 != 0:
		err = fmt.Errorf("%s: other users can write to it", dir)
	default:
		err = root.Chmod(".", 0o711) // the umask may have removed bits in Mkdir
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// createRun creates a new run in root and locks it.
func createRun(root *os.Root) (*run, error) {
	for {
		r, err := lockRun(root, fmt.Sprintf("run-%d", rand.Uint64()))
		if err != nil {
			return nil, err
		}
		if r == nil {
			continue
		}
		err = root.Mkdir(r.name, 0o711)
		if err == nil {
			err = root.Chmod(r.name, 0o711)
		}
		if err != nil {
			r.lock.Close()
			return nil, err
		}
		return r, nil
	}
}

// lockRun locks the run with the given name. It returns nil if another process holds the lock or has removed its file.
func lockRun(root *os.Root, name string) (*run, error) {
	lock, err := root.OpenFile(name+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	r := &run{root, name, lock}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, nil
		}
		return nil, &fs.PathError{Op: "flock", Path: lock.Name(), Err: err}
	}
	// The lock is valid only if the file still has its name: another sweep may have removed it, or the name may be a link.
	locked, err := lock.Stat()
	if err == nil {
		var entry fs.FileInfo
		if entry, err = root.Lstat(name + ".lock"); err == nil && os.SameFile(entry, locked) {
			return r, nil
		}
	}
	lock.Close()
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return nil, err
}

// remove removes the folder of a run, and then its lock. internal/mutate does not change this package, because a
// changed remove could delete files of the user.
func (r *run) remove() error {
	defer r.lock.Close()
	top, err := r.root.Stat(".")
	if err == nil {
		err = r.prepare(r.name, device(top))
	}
	if err == nil {
		err = r.root.RemoveAll(r.name)
	}
	if err == nil {
		err = r.root.Remove(r.name + ".lock")
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // base may be the folder of a test, and already removed
		return fmt.Errorf("%s: %w", filepath.Join(r.root.Name(), r.name), err)
	}
	return nil
}

// prepare makes RemoveAll of a folder safe and possible. It detaches the file systems that are mounted in the folder,
// or returns an error, so that RemoveAll does not remove their files. It also makes all folders inside writable. If
// name is not a folder, prepare does nothing.
func (r *run) prepare(name string, dev any) error {
	fi, err := r.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.ENOTCONN), err == nil && fi.IsDir() &&
		device(fi) != dev: // a FUSE mount without server, or another mount
		if err := detach(filepath.Join(r.root.Name(), name)); err != nil {
			return err
		}
		return r.prepare(name, dev) // several file systems may be mounted here
	case err != nil || !fi.IsDir():
		return err
	}
	if perm := fi.Mode().Perm(); perm&0o700 != 0o700 {
		if err := r.root.Chmod(name, perm|0o700); err != nil {
			return err
		}
	}
	f, err := r.root.Open(name)
	if err != nil {
		return err
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	for _, e := range entries {
		if err == nil && e.IsDir() {
			err = r.prepare(filepath.Join(name, e.Name()), dev)
		}
	}
	return err
}

// device returns the number of the file system. Its type depends on the operating system.
func device(fi fs.FileInfo) any { return fi.Sys().(*syscall.Stat_t).Dev }

// detach unmounts a file system. Systems where tests mount file systems set it.
var detach = func(dir string) error {
	return fmt.Errorf("%s: on another file system, which this system cannot unmount", dir)
}

var runName = regexp.MustCompile(`^(run-[0-9]+)(\.lock)?$`)

// sweep removes the runs in root whose processes have ended. It ignores everything else in root, such as links.
func sweep(root *os.Root) error {
	top, err := root.Open(".")
	if err != nil {
		return err
	}
	entries, err := top.ReadDir(-1)
	top.Close()
	errs := []error{err}
	for _, e := range entries {
		match := runName.FindStringSubmatch(e.Name())
		if match == nil || match[2] == "" && !e.IsDir() || match[2] != "" && !e.Type().IsRegular() {
			continue
		}
		name := match[1]
		if fi, err := root.Lstat(name); err == nil && !fi.IsDir() {
			continue
		}
		r, err := lockRun(root, name)
		if r != nil {
			err = r.remove()
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
