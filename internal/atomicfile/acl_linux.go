package atomicfile

import (
	"encoding/binary"
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// aclName is the extended attribute with the POSIX ACL of a file (acl(5)). A file has the attribute only if its ACL
// contains more than the permissions.
const aclName = "system.posix_acl_access"

// readACL returns the ACL of the file at path, or "" if the file has none. hidden is true if the ACL exists and cannot
// be read.
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

// setACL gives f an ACL, or removes the ACL inherited from the folder if acl is "". It reports whether f has exactly
// that ACL once Chmod has set the permissions that belong to it.
//
// Until the Chmod only the owner has access. Linux sets the permissions in an ACL and the ACL itself in two steps: in
// between, a user whom the ACL denies by name would have the permissions of others. Chmod sets the mask and the
// permissions of others in an ACL that already denies this user.
func (f *File) setACL(acl string) bool {
	fd := int(f.Fd())
	if acl != "" {
		return unix.Fsetxattr(fd, aclName, closedACL(acl), 0) == nil
	}
	err := unix.Fremovexattr(fd, aclName)
	if err == nil || errors.Is(err, unix.ENODATA) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
		return true
	}
	_, err = unix.Fgetxattr(fd, aclName, nil)
	return errors.Is(err, unix.ENODATA)
}

// An ACL has the format of linux/posix_acl_xattr.h: a version, and then a tag, permissions and an id for each entry.
const (
	aclVersion          = 2
	aclHead, aclEntry   = 4, 8
	tagOwner, tagUser   = 0x01, 0x02
	tagGroup, tagGroups = 0x04, 0x08
	tagMask, tagOther   = 0x10, 0x20
)

// isACL reports whether b can be an ACL.
func isACL(b []byte) bool {
	return len(b) >= aclHead && (len(b)-aclHead)%aclEntry == 0 && binary.LittleEndian.Uint32(b) == aclVersion
}

// closedACL returns acl with all permissions removed from the mask and from others.
func closedACL(acl string) []byte {
	b := []byte(acl)
	if !isACL(b) {
		return b // the system rejects it
	}
	for e := b[aclHead:]; len(e) > 0; e = e[aclEntry:] {
		if tag := binary.LittleEndian.Uint16(e); tag == tagMask || tag == tagOther {
			binary.LittleEndian.PutUint16(e[2:], 0)
		}
	}
	return b
}

// entries returns the permissions of all users and groups in an ACL, except the owner, limited by the mask. For a
// malformed ACL or an unknown entry it returns an entry without permissions.
func entries(acl string) []fs.FileMode {
	b := []byte(acl)
	if len(b) == 0 {
		return nil
	}
	if !isACL(b) {
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

// syncAll syncs the whole file system of f.
func (f *File) syncAll() error { return unix.Syncfs(int(f.Fd())) }
