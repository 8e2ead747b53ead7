package npz

import (
	"errors"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/mmap"
)

// Use opens the archive at path for reading, calls do with it, and closes it, as [array.Use] does with a .npy file: a
// page fault in do is an error. An archive that was truncated, written to or replaced before do returned is an error,
// too. After an error, discard the results of do. The arrays of the archive end when Use returns: keep a clone, or a
// result. If do makes a file from the elements, call Use inside the function of [Make]; see [array.Use].
//
// If the archive was changed less than 20 ms ago, Use first waits for that time, or for 2 s if the change time is a
// whole second. An error of do is returned as it is. Other errors name the file.
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
