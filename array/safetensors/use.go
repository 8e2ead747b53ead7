package safetensors

import (
	"errors"

	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/mmap"
)

// Use opens the file at path for reading, calls do with it, and closes it, like [array.Use] for a .npy file. It returns
// an error if do hits a page fault, or if the file was truncated, written to or replaced before do returned. After an
// error, discard the results of do. The arrays of the file become invalid when Use returns; keep a clone or a computed
// result instead. To create a file from the elements, call Use inside the function passed to [Make]; see [array.Use].
//
// If the file was modified less than 20 ms ago, Use first waits until the modification is 20 ms old (2 s if the file's
// change time is a whole second). Errors returned by do are returned unchanged. All other errors name the file.
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
