package array

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"time"

	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/readat"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/mmap"
)

// A growth holds the fields of a File that Append, Grow and Follow use.
type growth struct {
	report          func(done, total int64) error
	path            string         // path of the file; absolute if the mode is ReadWrite
	headerUncertain *pendingAppend // the Append that failed while it wrote the header, or nil
}

// A pendingAppend is an Append that failed while it stored the header. The file may or may not have the new elements,
// which are at positions start to end-1 of the growing axis.
type pendingAppend struct{ start, end int }

// newGrowth returns the growth of a File that maps m. Append and Grow report to progress.
func newGrowth(m *mmap.Map, progress func(done, total int64) error) growth {
	path := m.Path()
	if m.Mode() == mmap.ReadWrite {
		path = atomicfile.Absolute(path)
	}
	return growth{report: progress, path: path}
}

// newProgress returns a progress for the given number of bytes, which stops the work when ctx is done. If ctx is never
// done and the user has no Progress function, all bytes are one piece, which only the Sync of the caller stores.
func (f *File) newProgress(ctx context.Context, total int64, op string) *progress {
	userReport := f.growth.report
	report := userReport
	if ctx.Done() != nil {
		report = func(done, total int64) error {
			if err := contextError(ctx, f.view, op); err != nil || userReport == nil {
				return err
			}
			return userReport(done, total)
		}
	}
	p := newProgress(report, total, nd.MaxReportBytes)
	if report == nil {
		p.pacer.Size = math.MaxInt
	}
	return p
}

// Refresh sets f.Array to the current array of the file, with the elements that others have appended, and reports
// whether it became longer. Earlier views stay valid. Refresh never waits for a writer, and sees no element before it
// is written. If nothing has changed it costs about as much as an os.Stat. For memory it does nothing.
//
// After an error f is unchanged. The error wraps [mmap.ErrReplaced] if the path names another file or no file,
// [mmap.ErrChanged] if others keep changing the header, and [errors.ErrUnsupported] for [CopyOnWrite] and for [OpenRaw]
// without a -1 that can grow. If the header describes another array, or if the file has become shorter, Refresh returns
// an error, too.
func (f *File) Refresh() (grew bool, err error) {
	switch {
	case f.isZero():
		return false, fmt.Errorf("array: refresh: %w", fs.ErrClosed)
	case f.m == nil:
		return false, nil
	case f.m.Bytes() == nil:
		return false, &fs.PathError{Op: "refresh", Path: f.Path(), Err: fs.ErrClosed}
	case f.m.Path() == "":
		return false, nil
	case f.m.Mode() == mmap.CopyOnWrite:
		return false, fmt.Errorf("%sa file mapped %v does not show elements that are appended to the file: %w; open it again",
			nd.Prefix(f.Path()), f.m.Mode(), errors.ErrUnsupported)
	}
	if err := f.checkPath(); err != nil {
		return false, err
	}
	if f.headerless() {
		return f.refreshLength()
	}
	if grew, err = f.update(false); err == nil {
		f.growth.headerUncertain = nil
	}
	return grew, err
}

// checkPath returns an error if the path no longer names the file of f.
func (f *File) checkPath() error {
	if f.pending != nil {
		return nil // no other process uses the file
	}
	err := f.m.CheckPath()
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s%w; open it again", nd.Prefix(f.Path()), e.Err)
	}
	return err
}

// lockWait is how long Append and Grow wait for the lock. Tests lower it.
var lockWait = 10 * time.Second

// A waitLimit limits how long a call waits for the lock of a file: until a timeout, or until a context is done.
type waitLimit struct {
	ctx     context.Context
	timeout time.Duration
}

// lockStep is how long lock waits before it looks at the context again.
const lockStep = 10 * time.Millisecond

// lock locks the file of f.
func (w waitLimit) lock(f *File) error {
	if w.ctx.Done() == nil {
		return f.m.Lock(w.timeout)
	}
	err := contextError(w.ctx, f.view, "lock")
	for err == nil {
		if err = f.m.Lock(lockStep); !errors.Is(err, mmap.ErrLocked) {
			return err
		}
		if err = readat.Cause(w.ctx); err != nil {
			err = fmt.Errorf("%s%w: %w", nd.Prefix(f.Path()), mmap.ErrLocked, err)
		}
	}
	return err
}

// lockAndUpdate locks the file, brings f up to date with the file, and calls add.
func (f *File) lockAndUpdate(w waitLimit, add func() error) error {
	return f.withLock(w, func() error {
		if f.growth.headerUncertain != nil {
			return fmt.Errorf("%san earlier Append failed while storing the new shape, so the file may have the old or the new one; call Refresh to find out", nd.Prefix(f.Path()))
		}
		axis := f.h.Axis()
		if _, err := f.update(true); err != nil {
			return err
		}
		if newAxis := f.h.Axis(); newAxis != axis { // for example, (1, 0) in F order has become (1, 1)
			return fmt.Errorf("%s%w: another process appended to it: its shape is now %s, which grows along axis %d instead of %d",
				nd.Prefix(f.Path()), ErrShape, nd.Tuple(f.Shape()), newAxis, axis)
		}
		return add()
	})
}

// withLock locks the file and calls fn. If the path no longer names the file, it returns an error instead.
func (f *File) withLock(w waitLimit, fn func() error) error {
	switch err := w.lock(f); {
	case err == nil:
		defer f.m.Unlock()
	case !errors.Is(err, errors.ErrUnsupported):
		return err
	}
	if err := f.checkPath(); err != nil {
		return err
	}
	return fn()
}

// update sets f to the current array of the file. If locked is true, f holds the lock of the file, so no other process
// changes the array.
func (f *File) update(locked bool) (grew bool, err error) {
	info, err := f.m.Stat()
	if err == nil { // before parsing: a truncated header reads as zeros, and its error says less
		err = f.h.Within(info.Size())
	}
	if err != nil {
		return false, formatError(f.Path(), err)
	}
	h, err := f.rereadHeader()
	if err != nil {
		return false, err
	}
	same := slices.Equal(h.Shape, f.h.Shape) && h.Order == f.h.Order
	if !same || locked {
		// The order matters: a writer makes the file longer before it writes the header.
		if _, err := f.m.Refresh(); err != nil {
			return false, err
		}
		if err := h.Within(int64(f.m.Len())); err != nil {
			return false, formatError(f.Path(), err)
		}
	}
	if same {
		return false, nil
	}
	longer := *f
	longer.h = h
	if err := longer.setArray(f.Path(), f.m.Bytes()[h.DataOffset:h.DataOffset+h.NBytes]); err != nil {
		return false, err
	}
	grew = !slices.Equal(h.Shape, f.h.Shape)
	f.h, f.Array = h, longer.Array
	return grew, nil
}

// rereadHeader reads the header of the file again. It returns an error unless the header describes f with the same or a
// greater length along the growing axis.
func (f *File) rereadHeader() (h npy.Header, err error) {
	head := make([]byte, int64(f.h.DataOffset)-f.start)
	n, ok, err := stable.Read(head, func(dst []byte) (int, error) { return f.m.ReadAt(dst, f.start) })
	switch {
	case !ok:
		return h, fmt.Errorf("%s%w each time its header was read; another process keeps writing it",
			nd.Prefix(f.Path()), mmap.ErrChanged)
	case err != nil:
		return h, err
	}
	if h, err = f.parse(head[:n], math.MaxInt32); err != nil {
		return h, nd.OfKind(f.changedError(), ErrFormat)
	}
	oldShape := slices.Clone(h.Shape)
	if axis := f.h.Axis(); axis >= 0 && len(oldShape) == len(f.h.Shape) {
		oldShape[axis] = min(oldShape[axis], f.h.Shape[axis])
	}
	sameOrder := h.Order == f.h.Order || h.IsColumn() && f.h.IsColumn() // a column is the same bytes in both orders
	if !sameOrder || !h.DType.Equal(f.h.DType) || h.DataOffset != f.h.DataOffset || !slices.Equal(oldShape, f.h.Shape) {
		return h, f.changedError()
	}
	return h, nil
}

// changedError returns the error for a header that describes an array other than f.
func (f *File) changedError() error {
	return fmt.Errorf("%sthe header has changed since the file was opened, and not only by appended elements; open it again",
		nd.Prefix(f.Path()))
}
