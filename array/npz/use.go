package npz

import (
	"errors"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/mmap"
)

// Use opens the archive at path for reading, calls do with it, and closes it, like [array.Use] for a .npy file. It
// returns an error if do hits a page fault, or if the archive was truncated, written to or replaced before do returned.
// After an error, discard the results of do. The arrays of the archive become invalid when Use returns; keep a clone or
// a computed result instead. To create a file from the elements, call Use inside the function passed to [Make]; see
// [array.Use].
//
// If the archive was modified less than 20 ms ago, Use first waits until the modification is 20 ms old (2 s if the
// file's change time is a whole second). Errors returned by do are returned unchanged. All other errors name the file.
func Use(path string, do func(a *Archive) error) error {
	a, err := stable.Settled(func() (*Archive, error) { return Open(path, array.ReadOnly) },
		func(a *Archive) bool { return errors.Is(a.Map().Unchanged(), mmap.ErrChanged) })
	if err != nil {
		return err
	}
	defer a.Close()
	if err := mmap.Guard(func() error { return do(a) }); err != nil {
		return err
	}
	return a.Map().Unchanged()
}
