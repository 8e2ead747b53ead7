//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the lock that shows that a process is making the file. The system releases the lock when the process ends,
// or when the last descriptor of this open of the file is closed.
func lock(f *os.File) (bool, error) { return TryLock(f, true) }

// claim locks f and reports whether the temporary name still refers to f. Before f was locked, another process may have
// removed it as abandoned. On file systems without locks, no process removes abandoned files.
func (f *File) claim() bool {
	if ok, err := lock(f.File); !ok && err == nil {
		return false
	}
	fi, err := f.Stat()
	return err == nil && sameFile(f.Temp, fi)
}

func sameFile(name string, fi fs.FileInfo) bool {
	now, err := os.Lstat(name)
	return err == nil && os.SameFile(now, fi)
}

// freeNames is the number of consecutive unused temporary names after which the search ends.
const freeNames = 8

// removeAbandoned removes files that processes left when they died while making a file for path. These files have a
// temporary name of path and no lock. It leaves files that cannot be opened or locked.
func removeAbandoned(path string) {
	for k, free := 0, 0; k < knownNames && free < freeNames; k++ {
		name := tempName(path, k)
		fi, err := os.Lstat(name)
		if free++; err != nil {
			continue
		}
		free = 0
		if !fi.Mode().IsRegular() {
			continue
		}
		f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
		if err != nil {
			continue
		}
		fi, err = f.Stat()
		if ok, _ := lock(f); ok && err == nil && sameFile(name, fi) {
			os.Remove(name) // a process that makes a file holds its lock, or has yet to call claim
		}
		f.Close()
	}
}
