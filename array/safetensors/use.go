package safetensors

import (
	"errors"

	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/mmap"
)

// Use opens the file at path for reading, calls do with it, and closes it, as [array.Use] does with a .npy file: a page
// fault in do is an error. A file that was truncated, written to or replaced before do returned is an error, too. After
// an error, discard the results of do. The arrays of the file end when Use returns: keep a clone, or a result.
// If do makes a file from the elements, call Use inside the function of [Make]; see [array.Use].
//
// If the file was changed less than 20 ms ago, Use first waits for that time, or for 2 s if the change time is a whole
// second. An error of do is returned as it is. Other errors name the file.
func Use(path string, do func(f *File) error) error {
	f, err := stable.Settled(func() (*File, error) { return Open(path, mmap.ReadOnly) },
		func(f *File) bool { return errors.Is(f.m.Unchanged(), mmap.ErrChanged) })
	if err != nil {
		return err
	}
	defer f.Close()
	if err := mmap.Guard(func() error { return do(f) }); err != nil {
		return err
	}
	return f.m.Unchanged()
}
