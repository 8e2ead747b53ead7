package npz

import (
	"errors"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/mmap"
)

// Use opens the archive at path to read, calls do with it, and closes it, as [array.Use] does with a .npy file: a page
// fault in do is an error, and it is an error if the archive was truncated, written to or replaced before do returned.
// After an error, do not use what do has found. Arrays of the archive end when Use returns: keep a clone, or what was
// computed. If do makes a file from the elements, call Use inside the function of [Make]; see [array.Use].
//
// For an archive that was changed less than 20 ms ago it first waits that long, or 2 s where the change time is a whole
// second. An error of do is returned as it is, and others name the file.
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
