package atomicfile

import (
	"errors"
	"io"
	"runtime"
)

// CommitMapped is Commit for a file that m maps. Windows renames no file that is mapped: there it closes m first, and
// then calls remap, if that is not nil, with the name that the file has by then. named is false after an error of
// remap.
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

// RemoveMapped is Remove for a file that m maps, and closes m. It removes the file while m is open, and so has its
// lock, except on Windows, which removes no file that is mapped.
func (f *File) RemoveMapped(m io.Closer) error {
	if runtime.GOOS == "windows" {
		defer f.Remove()
	} else {
		f.Remove()
	}
	return m.Close()
}
