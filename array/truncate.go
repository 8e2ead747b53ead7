package array

import (
	"context"
	"fmt"
	"runtime"

	"github.com/ndmap/ndmap/internal/nd"
)

// Truncate shortens f, in place, to length n along the axis that [File.Append] grows. The lock and the errors are those
// of Append; if n is out of range, the error wraps [ErrShape]. At every moment, and after a crash, the file has the old
// or the new length. An access to a removed element, by an earlier view or another process, is a page fault. Another
// File of the same file must be opened again. On Windows, the file keeps its size.
func (f *File) Truncate(n int) error {
	axis, err := f.growAxis()
	if err != nil {
		return err
	}
	return f.lockAndUpdate(waitLimit{context.Background(), lockWait}, func() error {
		length := f.h.Shape[axis]
		if n < 0 || n > length {
			return fmt.Errorf("%s%w: cannot shorten axis %d from length %d to %d; want 0 to %d", nd.Prefix(f.Path()), ErrShape,
				axis, length, n, length)
		}
		head, next, edits, err := f.resizedHeader(n)
		if err != nil || n == length {
			return err
		}
		end := next.DataOffset + next.NBytes
		shorter := *f
		shorter.h = next
		if err := shorter.setArray(f.Path(), f.m.Bytes()[next.DataOffset:end]); err != nil {
			return err
		}
		// The header is stored before the file is cut, so that it never describes more elements than the file has.
		if _, err := f.writeHeader(head, edits, pendingAppend{n, length}); err != nil {
			return err
		}
		f.growth.headerUncertain = nil
		f.h, f.Array = next, shorter.Array
		if runtime.GOOS == "windows" { // does not shorten mapped files; the next Append overwrites the rest
			return nil
		}
		if err := f.m.Truncate(int64(end)); err != nil {
			return err
		}
		observe("truncate", f.Path(), 0, 0)
		return f.Sync()
	})
}
