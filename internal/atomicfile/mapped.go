package atomicfile

import (
	"errors"
	"io"
	"runtime"
)

// CommitMapped is like Commit for a file that m maps. Windows does not rename mapped files, so there CommitMapped first
// closes m, and then calls remap, if not nil, with the current name of the file. If remap fails, named is false.
func (f *File) CommitMapped(m io.Closer, remap func(name string) error) (named bool, err error) {
	if runtime.GOOS != "windows" {
		return f.Commit()
	}
	if err := m.Close(); err != nil {
		return false, err
	}
	named, err = f.Commit()
	name := f.Path
	if !named {
		name = f.Temp
	}
	if remap != nil {
		if rerr := remap(name); rerr != nil {
			return false, errors.Join(err, rerr)
		}
	}
	return named, err
}

// RemoveMapped is like Remove for a file that m maps, and closes m. It removes the file while m is open and holds its
// lock, except on Windows, which does not remove mapped files.
func (f *File) RemoveMapped(m io.Closer) error {
	if runtime.GOOS == "windows" {
		defer f.Remove()
	} else {
		f.Remove()
	}
	return m.Close()
}
