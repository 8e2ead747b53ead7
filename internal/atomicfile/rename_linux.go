package atomicfile

import "golang.org/x/sys/unix"

// renameNew renames a file, and fails if the new name exists. If the system or its file system cannot do this in one
// step, the error is EINVAL or wraps errors.ErrUnsupported.
func renameNew(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}
