package array

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"slices"

	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/internal/watch"
	"github.com/ndmap/ndmap/mmap"
)

// followBytes is roughly the number of bytes that Follow yields at a time.
const followBytes = 1 << 20

// Follow iterates over the rows that other Files and processes append to the file after the rows of f. A row is one
// position along the axis that [File.Append] grows. Each array is a copy of up to 1 MiB of complete rows, or of one
// longer row. f.Array grows by the rows of each array; earlier views stay valid. Until the loop ends, nothing else may
// use f. If the file is truncated while another process appends, rows may be zeros.
//
// On Linux, rows written on this machine are found at once, others within 250 ms; on other systems, all are found
// within 10 ms. The last pair may contain the zero Array and an error: the error of [File.Refresh], for example
// [mmap.ErrReplaced]; an error that wraps context.Cause(ctx); [errors.ErrUnsupported] for memory, and for [OpenRaw]
// without a -1 that can grow; [ErrShape] for an array without dimensions; or [fs.ErrInvalid] for a pending file.
func (f *File) Follow(ctx context.Context) iter.Seq2[Array, error] {
	return func(yield func(Array, error) bool) {
		w, err := f.watch()
		if err == nil {
			defer w.Close()
			err = f.follow(ctx, w, func(rows Array) bool { return yield(rows, nil) })
		}
		if err != nil {
			yield(Array{}, err)
		}
	}
}

// follow calls yield with new rows until yield returns false.
func (f *File) follow(ctx context.Context, w *watch.File, yield func(rows Array) bool) error {
	for {
		axis := f.h.Axis()
		longer := *f // contains the rows of the file; f contains the rows that were yielded
		grew, err := longer.Refresh()
		for err == nil && f.Len(axis) < longer.Len(axis) {
			if err = contextError(ctx, f.view, "follow"); err != nil {
				break
			}
			var rows Array
			if rows, err = f.nextRows(&longer, w); err == nil && !yield(rows) {
				return nil
			}
		}
		if err == nil && !grew {
			if w.Wait(ctx) != nil {
				err = contextError(ctx, f.view, "follow")
			}
		}
		if err != nil {
			return err
		}
	}
}

// watch opens the file of f again, for reading. It returns an error for files that Follow refuses.
func (f *File) watch() (*watch.File, error) {
	axis := f.h.Axis()
	switch {
	case f.pending != nil:
		return nil, fmt.Errorf("%sfollow: %w: the file is pending; call Commit first", nd.Prefix(f.Path()), fs.ErrInvalid)
	case f.isZero():
		return nil, fmt.Errorf("array: follow: %w", fs.ErrClosed)
	case f.m == nil || f.m.Path() == "":
		return nil, fmt.Errorf("array: follow: %w: memory cannot grow", errors.ErrUnsupported)
	case f.m.Bytes() == nil:
		return nil, &fs.PathError{Op: "follow", Path: f.Path(), Err: fs.ErrClosed}
	case f.headerless() && f.inferredAxis != axis:
		return nil, fmt.Errorf("%sfollow: %w: open the file with the length -1 for axis %d", nd.Prefix(f.Path()),
			errors.ErrUnsupported, axis)
	case axis < 0:
		return nil, fmt.Errorf("%s%w: an array without dimensions cannot grow", nd.Prefix(f.Path()), ErrShape)
	}
	if err := f.checkPath(); err != nil {
		return nil, err
	}
	w, err := watch.Open(f.growth.path)
	if err != nil {
		return nil, err
	}
	mapped, err := f.Stat()
	read, rerr := w.Stat()
	err = errors.Join(err, rerr)
	if err == nil && runtime.GOOS != "windows" && !os.SameFile(mapped, read) { // Windows does not replace mapped files
		err = fmt.Errorf("%s%w; open it again", nd.Prefix(f.Path()), mmap.ErrReplaced)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// nextRows extends f by some of the rows of longer, and returns these rows. It reads them by system calls, because a
// mapping would read zeros if the file is truncated within a page.
func (f *File) nextRows(longer *File, w *watch.File) (Array, error) {
	axis := f.h.Axis()
	start, step := f.Len(axis), longer.NBytes()/longer.Len(axis)
	n := min(longer.Len(axis)-start, max(1, followBytes/max(1, step)))
	part := *longer
	part.h.Shape = slices.Clone(longer.h.Shape)
	part.h.Shape[axis], part.h.NBytes = start+n, (start+n)*step

	b := strided.Alloc(n * step)
	_, err := w.ReadAt(b, int64(part.h.DataOffset+start*step))
	info, serr := w.Stat()
	switch {
	case serr != nil:
		return Array{}, serr
	case part.h.Within(info.Size()) != nil:
		return Array{}, formatError(f.Path(), part.h.Within(info.Size()))
	case err == io.EOF:
		return Array{}, fmt.Errorf("%s%w while it was being read: it was truncated and extended again", nd.Prefix(f.Path()),
			mmap.ErrChanged)
	case err != nil:
		return Array{}, err
	}
	shape := slices.Clone(part.h.Shape)
	shape[axis] = n
	rows, err := FromBytes(b, part.h.DType, part.h.Order, shape...)
	if err == nil {
		err = part.setArray(f.Path(), f.m.Bytes()[part.h.DataOffset:part.h.DataOffset+part.h.NBytes])
	}
	if err != nil {
		return Array{}, err
	}
	f.h, f.Array, f.growth = part.h, part.Array, part.growth
	return rows, nil
}
