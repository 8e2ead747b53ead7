package array

import (
	"errors"

	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/mmap"
)

// Use opens the .npy file at path to read, calls do with it, and closes it. It is [Open], [mmap.Guard],
// [File.Unchanged] and Close in one: a page fault in do is an error, and it is an error if the file was truncated,
// written to or replaced before do returned, as far as [mmap.Map.Unchanged] sees it: what other programs store through
// a mapping has a time of its own only now and then. After an error, do not use what do has found.
//
// The file is closed when Use returns: keep a clone, the result of a [Reduction], or what [View.Take] returns. A file
// that do makes should get its path after Use, by [Save], or by [File.Commit] of one that is pending.
//
// For a file that was changed less than 20 ms ago, of which File.Unchanged cannot tell whether it changes again, Use
// first waits that long, or 2 s where the change time is a whole second; after 2.5 s in which it changes all the time
// do is called, and there is an error. An error of do is returned as it is, and others name the file.
func Use(path string, do func(f *File) error) error {
	f, err := stable.Settled(func() (*File, error) { return Open(path, ReadOnly) },
		func(f *File) bool { return errors.Is(f.Unchanged(), mmap.ErrChanged) })
	if err != nil {
		return err
	}
	defer f.Close()
	if err := mmap.Guard(func() error { return do(f) }); err != nil {
		return err
	}
	return f.Unchanged()
}

// UseAll is [Use] of several files, and calls do with their arrays, as [Stack] takes them: all files are open while do
// runs, and are to be unchanged when it returns.
func UseAll(paths []string, do func(arrays []Array) error) error {
	var use func(arrays []Array) error
	use = func(arrays []Array) error {
		if len(arrays) == len(paths) {
			return do(arrays)
		}
		return Use(paths[len(arrays)], func(f *File) error { return use(append(arrays, f.Array)) })
	}
	return use(make([]Array, 0, len(paths)))
}
