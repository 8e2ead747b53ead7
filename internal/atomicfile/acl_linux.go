package atomicfile

import (
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
		case errors.Is(err, unix.ENODATA), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS), errors.Is(err,
			unix.ENOENT):
			return "", false
		case !errors.Is(err, unix.ERANGE) || len(b) > 1<<20:
			return "", true
		}
	}
}

// setACL gives f an ACL, or with "" takes that away which the folder gave it. It reports
// whether f has just that once Chmod has set the permissions that belong to it.
//
// Until then it lets nobody do anything but the owner. Linux sets the permissions that are in
// an ACL and the ACL one after the other: in between, who is denied by name could do what
// others can. A chmod sets the mask, and what others can, in an ACL that denies him already.
func (f *File) setACL(acl string) bool {
	fd := int(f.Fd())
	if acl != "" {
		return unix.Fsetxattr(fd, aclName, closed(acl), 0) == nil
	}
	err := unix.Fremovexattr(fd, aclName)
	if err == nil || errors.Is(err, unix.ENODATA) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return true
	}
	_, err = unix.Fgetxattr(fd, aclName, nil)
	return errors.Is(err, unix.ENODATA)
}

// The format of an ACL is that of linux/posix_acl_xattr.h: a version, and of each entry a tag,
// permissions, and an id.
const (
	aclVersion          = 2
	aclHead, aclEntry   = 4, 8
	tagOwner, tagUser   = 0x01, 0x02
	tagGroup, tagGroups = 0x04, 0x08
	tagMask, tagOther   = 0x10, 0x20
)

// wellFormed reports whether b can be an ACL.
func wellFormed(b []byte) bool {
	return len(b) >= aclHead && (len(b)-aclHead)%aclEntry == 0 && binary.LittleEndian.Uint32(b) == aclVersion
}

// closed returns the ACL with nothing allowed by its mask, and to others.
func closed(acl string) []byte {
	b := []byte(acl)
	if !wellFormed(b) {
		return b // which the system refuses
	}
	for e := b[aclHead:]; len(e) > 0; e = e[aclEntry:] {
		if tag := binary.LittleEndian.Uint16(e); tag == tagMask || tag == tagOther {
			binary.LittleEndian.PutUint16(e[2:], 0)
		}
	}
	return b
}

// entries returns the permissions of those whom an ACL names, beside the owner, as
// far as the mask lets them. What is not well formed names somebody who may do nothing.
func entries(acl string) []fs.FileMode {
	b := []byte(acl)
	if len(b) == 0 {
		return nil
	}
	if !wellFormed(b) {
		return []fs.FileMode{0}
	}
	limit := fs.FileMode(7)
	var perms []fs.FileMode
	for pass := range 2 {
		for e := b[aclHead:]; len(e) > 0; e = e[aclEntry:] {
			tag, perm := binary.LittleEndian.Uint16(e), fs.FileMode(binary.LittleEndian.Uint16(e[2:])&7)
			switch {
			case pass == 0 && tag == tagMask:
				limit = perm
			case pass == 0 || tag == tagOwner || tag == tagMask:
			case tag == tagUser, tag == tagGroup, tag == tagGroups:
				perms = append(perms, perm&limit)
			case tag == tagOther:
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
