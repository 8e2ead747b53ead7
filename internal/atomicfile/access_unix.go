//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const errLoop = syscall.ELOOP

// Dup returns another descriptor of f. The caller must close it.
func (f *File) Dup() (*os.File, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "dup", Path: f.Path, Err: err}
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}

// loadACL records the group and the ACL of the file at path in a.
func (a *access) loadACL(path string, fi fs.FileInfo) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		a.gid = int(st.Gid)
	}
	a.acl, a.hidden = readACL(path)
}

// applyAccess gives f the group, the ACL and the permissions of a, or fewer permissions. Until it returns, only the
// owner has access at any time.
func (f *File) applyAccess(a access) error {
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if fi.Mode().Perm()&0o077 != 0 {
		if err := f.Chmod(0o600); err != nil {
			return err
		}
	}
	mode := a.mode
	st, ok := fi.Sys().(*syscall.Stat_t)
	kept := ok && int(st.Gid) == a.gid || f.Chown(-1, a.gid) == nil
	if !kept || a.hidden || !f.setACL(a.acl) {
		mode = mode&0o700 | commonPerm(a)
		if !f.setACL("") { // removes the ACL inherited from the folder, which names other users
			mode &= 0o700
		}
	}
	if err := f.Chmod(mode); err != nil {
		return err
	}
	f.applied = a
	return nil
}

// commonPerm returns the permissions, for group and others, that everybody had under a: the users not named in the
// file, its group, and each user and group in its ACL.
func commonPerm(a access) fs.FileMode {
	p := a.mode & (a.mode >> 3) & 7
	if a.hidden {
		p = 0
	}
	for _, e := range entries(a.acl) {
		p &= e
	}
	return p | p<<3
}
