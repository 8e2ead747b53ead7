//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package atomicfile

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the lock that says that a process is making the file. It ends with the process, or when the last
// descriptor of this open of the file is closed.
func lock(f *os.File) (bool, error) { return TryLock(f, true) }

// claim locks f, and reports whether its temporary name is its own: in between, another process may have taken it
// for an abandoned one. Where the file system has no locks, no process does.
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

// freeNames is how many temporary names in a row are free where no more are looked for.
const freeNames = 8

// removeAbandoned removes what processes have left that died while they made a file for path: what has a temporary
// name of it, and no lock. What it cannot open or lock stays.
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
			os.Remove(name) // who makes a file has it locked, or looks whether it has its name once it is
		}
		f.Close()
	}
}
