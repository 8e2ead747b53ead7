//go:build !android

package atomicfile

import (
	"cmp"
	"io/fs"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// openUnnamed makes a file without a name in the folder where f is to be, and locks it. It returns nil where that
// cannot be: the file system has no such files, or there is no /proc, by which such a file gets a name.
func (f *File) openUnnamed(perm fs.FileMode) *os.File {
	if !Unnamed {
		return nil
	}
	file, err := os.OpenFile(cmp.Or(folder(f.target), "."), os.O_RDWR|unix.O_TMPFILE, perm)
	if err != nil {
		return nil
	}
	if _, err := os.Stat(inProc(file)); err != nil {
		file.Close()
		return nil
	}
	lock(file) // before it has a name
	return file
}

// inProc is a link to a file that is open.
func inProc(f *os.File) string { return "/proc/self/fd/" + strconv.Itoa(int(f.Fd())) }

// linkUnnamed gives a file without a name one that is not there.
func (f *File) linkUnnamed(name string) error {
	return unix.Linkat(unix.AT_FDCWD, inProc(f.File), unix.AT_FDCWD, name, unix.AT_SYMLINK_FOLLOW)
}
