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

// followBytes is about how much Follow hands out at a time.
const followBytes = 1 << 20

// Follow returns an iterator over the rows that f does not have yet, as others append them, from the next one on: parts
// of the axis that [File.Append] grows, of 1 MiB or one row, each in memory of its own. Linux tells of what this
// machine appends with system calls, as Append does; of all else Follow finds out by looking, every quarter of a
// second there and every 10 ms elsewhere.
//
// The loop owns f until it ends: with each part f.Array becomes longer by that, so that another Follow goes on where a
// loop was left. Views that were taken before stay valid. No row is seen before it is whole, nor is one that was
// cut off; but what was cut off while another process appended may, as [File.Append] says, be zeros. Where f has
// become shorter, or its path is another file by now, or none ([mmap.ErrReplaced]), the loop ends with the error of
// [File.Refresh]. When ctx is done it ends with ctx.Err(). An error comes with the zero Array, and last.
//
// What Refresh refuses is an error, and so are memory and a length that [OpenRaw] does not count
// ([errors.ErrUnsupported]), no dimensions ([ErrShape]), and a pending file ([fs.ErrInvalid]).
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

// follow calls do with the rows that are new, until that returns false.
func (f *File) follow(ctx context.Context, w *watch.File, do func(rows Array) bool) error {
	for {
		axis := f.h.Axis()
		longer := *f // what the file has; f has what was handed out
		grew, err := longer.Refresh()
		for err == nil && f.Len(axis) < longer.Len(axis) {
			if err = ctx.Err(); err != nil {
				break
			}
			var rows Array
			if rows, err = f.next(&longer, w); err == nil && !do(rows) {
				return nil
			}
		}
		if err == nil && !grew {
			err = w.Wait(ctx)
		}
		if err != nil {
			return err
		}
	}
}

// watch opens the file of f a second time, to read it.
func (f *File) watch() (*watch.File, error) {
	axis := f.h.Axis()
	switch {
	case f.pending != nil:
		return nil, fmt.Errorf("%sfollow: %w: the file is pending; Commit it", nd.Prefix(f.Path()), fs.ErrInvalid)
	case f.isZero():
		return nil, fmt.Errorf("array: follow: %w", fs.ErrClosed)
	case f.m == nil || f.m.Path() == "":
		return nil, fmt.Errorf("array: follow: %w: memory does not grow", errors.ErrUnsupported)
	case f.m.Bytes() == nil:
		return nil, &fs.PathError{Op: "follow", Path: f.Path(), Err: fs.ErrClosed}
	case f.headerless() && f.counted != axis:
		return nil, fmt.Errorf("%sfollow: %w: open the file with the length -1 for axis %d", nd.Prefix(f.Path()),
			errors.ErrUnsupported, axis)
	case axis < 0:
		return nil, fmt.Errorf("%s%w: an array of no dimensions does not grow", nd.Prefix(f.Path()), ErrShape)
	}
	if err := f.checkPath(); err != nil {
		return nil, err
	}
	w, err := watch.Open(f.growth.path)
	if err != nil {
		return nil, err
	}
	mapped, err := f.Stat()
	if err == nil && runtime.GOOS != "windows" { // where no file that is mapped is replaced
		var read fs.FileInfo
		if read, err = w.Stat(); err == nil && !os.SameFile(mapped, read) {
			err = fmt.Errorf("%s%w; open it again", nd.Prefix(f.Path()), mmap.ErrReplaced)
		}
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// next makes f longer by some of the rows that the file has by now, and returns them. They are read by system calls: of
// a mapping, zeros could be read where the file is cut within a page.
func (f *File) next(longer *File, w *watch.File) (Array, error) {
	axis := f.h.Axis()
	from, step := f.Len(axis), longer.NBytes()/longer.Len(axis)
	n := min(longer.Len(axis)-from, max(1, followBytes/max(1, step)))
	part := *longer
	part.h.Shape = slices.Clone(longer.h.Shape)
	part.h.Shape[axis], part.h.NBytes = from+n, (from+n)*step

	b := strided.Alloc(n * step)
	_, err := w.ReadAt(b, int64(part.h.DataOffset+from*step))
	info, serr := w.Stat()
	switch {
	case serr != nil:
		return Array{}, serr
	case part.h.Within(info.Size()) != nil:
		return Array{}, formatError(f.Path(), part.h.Within(info.Size()))
	case err == io.EOF:
		return Array{}, fmt.Errorf("%s%w while it was read: it was cut, and put back", nd.Prefix(f.Path()), mmap.ErrChanged)
	case err != nil:
		return Array{}, err
	}
	shape := slices.Clone(part.h.Shape)
	shape[axis] = n
	rows, err := FromBytes(b, part.h.DType, part.h.Order, shape...)
	if err == nil {
		err = part.overlay(f.Path(), f.m.Bytes()[part.h.DataOffset:part.h.DataOffset+part.h.NBytes])
	}
	if err != nil {
		return Array{}, err
	}
	f.h, f.Array, f.growth = part.h, part.Array, part.growth
	return rows, nil
}
