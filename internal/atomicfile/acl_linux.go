package atomicfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// aclName is the attribute that has the POSIX ACL of a file (acl(5)), if that is more than
// the permissions say.
const aclName = "system.posix_acl_access"

// readACL returns the ACL of the file at path, "" if it has none. It is hidden if the
// system has one and does not show it.
func readACL(path string) (acl string, hidden bool) {
	for b := make([]byte, 1<<10); ; b = make([]byte, 4*len(b)) {
		n, err := unix.Lgetxattr(path, aclName, b)
		switch {
		case err == nil:
			return string(b[:n]), false
		case errors.Is(err, unix.ENODATA), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.ENOENT):
			return "", false
		case !errors.Is(err, unix.ERANGE) || len(b) > 1<<20:
			return "", true
		}
	}
}

// setACL gives f an ACL, or with "" takes that away which the folder gave it. It reports
// whether f has just that now.
func (f *File) setACL(acl string) bool {
	fd := int(f.Fd())
	if acl != "" {
		// Some file systems (tmpfs) set the permissions an instant before the ACL that limits
		// them: then it is one that allows nothing but to the owner.
		b := []byte(acl)
		return unix.Fsetxattr(fd, aclName, closed(b), 0) == nil && unix.Fsetxattr(fd, aclName, b, 0) == nil
	}
	err := unix.Fremovexattr(fd, aclName)
	if err == nil || errors.Is(err, unix.ENODATA) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return true
	}
	_, err = unix.Fgetxattr(fd, aclName, nil)
	return errors.Is(err, unix.ENODATA)
}

// An ACL is a version, and entries of a tag, permissions, and an id: see
// linux/posix_acl_xattr.h.
const (
	version           = 2
	head, entry       = 4, 8
	owner, mask       = 0x01, 0x10
	user, group, many = 0x02, 0x04, 0x08
	other             = 0x20
)

// closed returns an ACL that names whom b names, and lets nobody but the owner do anything.
func closed(b []byte) []byte {
	b = bytes.Clone(b)
	if len(b) < head {
		return b
	}
	for e := b[head:]; len(e) >= entry; e = e[entry:] {
		if binary.LittleEndian.Uint16(e) != owner {
			binary.LittleEndian.PutUint16(e[2:], 0)
		}
	}
	return b
}

// entries returns the permissions of those whom an ACL names, beside the owner, as
// far as the mask lets them. What is no ACL names somebody who may do nothing.
func entries(acl string) []fs.FileMode {
	b := []byte(acl)
	if len(b) == 0 {
		return nil
	}
	if len(b) < head || (len(b)-head)%entry != 0 || binary.LittleEndian.Uint32(b) != version {
		return []fs.FileMode{0}
	}
	limit := fs.FileMode(7)
	var perms []fs.FileMode
	for pass := range 2 {
		for e := b[head:]; len(e) > 0; e = e[entry:] {
			tag, perm := binary.LittleEndian.Uint16(e), fs.FileMode(binary.LittleEndian.Uint16(e[2:])&7)
			switch {
			case pass == 0 && tag == mask:
				limit = perm
			case pass == 0 || tag == owner || tag == mask:
			case tag == user, tag == group, tag == many:
				perms = append(perms, perm&limit)
			case tag == other:
				perms = append(perms, perm)
			default:
				perms = append(perms, 0)
			}
		}
	}
	return perms
}

// syncAll stores all of the file system of f.
func (f *File) syncAll() error { return unix.Syncfs(int(f.Fd())) }
