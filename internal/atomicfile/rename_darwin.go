package atomicfile

import "golang.org/x/sys/unix"

// renameNew is like renameNew on Linux.
func renameNew(from, to string) error { return unix.RenamexNp(from, to, unix.RENAME_EXCL) }
