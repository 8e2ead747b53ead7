package atomicfile

import "golang.org/x/sys/unix"

// renameNew renames a file, and fails if there is a file by the new name. The error wraps
// errors.ErrUnsupported or is EINVAL where the system or its file system cannot do both in one step.
func renameNew(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}
