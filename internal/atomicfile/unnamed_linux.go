//go:build !android

package atomicfile

import (
	"cmp"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openUnnamed makes a locked file without a name in the folder of f. It returns nil if the file system does not support
// such files, or if /proc is missing, which is needed to name such a file.
func (f *File) openUnnamed(perm fs.FileMode) *os.File {
	if !Unnamed {
		return nil
	}
	file, err := os.OpenFile(cmp.Or(folder(f.target), "."), os.O_RDWR|unix.O_TMPFILE, perm)
	if err != nil {
		return nil
	}
	if _, err := os.Stat(procPath(file)); err != nil {
		file.Close()
		return nil
	}
	lock(file) // before it has a name
	return file
}

// procPath returns the path of a link to an open file.
func procPath(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

// linkUnnamed links an unnamed file at name, which must not exist.
func (f *File) linkUnnamed(name string) error {
	return unix.Linkat(unix.AT_FDCWD, procPath(f.File), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}
