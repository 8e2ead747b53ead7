package array

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/pylit"
	"github.com/ndmap/ndmap/mmap"
)

// Append writes the elements of arrays to the end of the file, after the elements that other processes have appended.
// f.Array then contains all of them, and earlier views stay valid. The first axis grows, or in F order ([File.Order])
// the last axis.
//
// Each array must have the dtype of f, in any byte order, or the error is a *[DTypeError]. Its shape must be that of f
// except along the growing axis, or of one row, or the error wraps [ErrShape]. The arrays may be views of f.
//
// When Append returns, the new elements, the new shape and all earlier writes through f are on stable storage. After a
// crash, the file has the old or the new shape, and no element is lost. After an error, it has no new elements, unless
// storing the header failed: then call [File.Refresh]. On Windows, bytes after the array may remain. Each Append
// waits for the disk twice; use an [Appender] for many small arrays.
//
// Several Files, also in different processes, may append to the same file: Append locks it ([mmap.Map.Lock]). It waits
// up to 10 seconds for the lock, then returns an error that wraps [mmap.ErrLocked]; [File.AppendContext] waits until a
// context is done. Elements may be lost if a process without locks, such as NumPy, writes or truncates the file at the
// same time: see README.md.
//
// Other errors are:
//
//   - The file is not mapped [ReadWrite]: [ErrReadOnly].
//   - The path now names another file, or no file: [mmap.ErrReplaced].
//   - Another process has truncated the file: a *[FormatError]. Open it again; if that fails, npy repair keeps its complete rows.
//   - The header has no room for a longer shape: a *[FormatError] that says what to do. NumPy and Create leave room.
//   - Another .npy file follows the data in the same file: [ErrFormat]. Append overwrites all other bytes after the data.
//   - The array is in memory, or was opened by [OpenAt] or [OpenRaw]: [errors.ErrUnsupported]. It has no dimensions: [ErrShape].
func (f *File) Append(arrays ...Array) error {
	return f.append(waitLimit{context.Background(), lockWait}, arrays)
}

// AppendContext is like [File.Append], but stops when ctx is done, even while it waits for the lock. Then nothing is
// appended, and the error wraps context.Cause(ctx), and also [mmap.ErrLocked] if it was waiting for the lock.
func (f *File) AppendContext(ctx context.Context, arrays ...Array) error {
	return f.append(waitLimit{ctx, math.MaxInt64}, arrays)
}

func (f *File) append(w waitLimit, arrays []Array) error {
	axis, err := f.growAxis()
	if err != nil {
		return err
	}
	n, nbytes := 0, 0
	rows := make([]Array, len(arrays))
	for i, a := range arrays {
		if rows[i], err = f.asRows(a, axis); err != nil {
			return err
		}
		nbytes += rows[i].NBytes()
		if n += rows[i].Len(axis); n < 0 || nbytes < 0 {
			return fmt.Errorf("%s%w: the total length overflows int", nd.Prefix(f.Path()), ErrShape)
		}
	}
	return f.lockAndUpdate(w, func() error {
		p := f.newProgress(w.ctx, 2*int64(nbytes), "append")
		if err := p.Begin(); err != nil {
			return err
		}
		return f.grow(n, func(longer *File, tail Array, _ []byte) error {
			mem, start := tail.view.Store.Mem, 0
			write := mem.Write
			mem.Write = f.writer(p.Report == nil)
			for _, a := range rows {
				dst, err := arrayOf(tail.view.Derive(nd.SelectRange(tail.view.Layout, axis, start, a.Len(axis))))
				start += a.Len(axis)
				if err == nil {
					err = p.copyNew(dst, a)
				}
				if err != nil {
					return err
				}
			}
			mem.Write = write
			err := p.syncPieces(longer, tail.view.Offset()+longer.h.DataOffset, tail.NBytes())
			if err == nil {
				err = p.End() // before the header has the new length
			}
			return err
		})
	})
}

// asRows returns a with all dimensions of f, or an error if a cannot be appended to f along axis.
func (f *File) asRows(a Array, axis int) (Array, error) {
	a.view.MustBeSet()
	path := cmp.Or(a.view.Store.Mem.Path, f.Path())
	if have, want := a.DType(), f.DType(); !have.WithByteOrder(dtype.Native).Equal(want.WithByteOrder(dtype.Native)) {
		return a, &DTypeError{Path: path, Have: have, Want: want,
			Msg: "Append does not convert dtypes; convert the array with AsType first"}
	}
	given, want := a.Shape(), f.Shape()
	if len(given) == len(want)-1 {
		var err error
		if a, err = a.ExpandDims(axis); err != nil {
			return a, err
		}
	}
	have := a.Shape()
	if len(have) == len(want) {
		want[axis] = have[axis]
	}
	if !slices.Equal(have, want) {
		return a, fmt.Errorf("%s%w: cannot append shape %s along axis %d to shape %s", nd.Prefix(path), ErrShape,
			nd.Tuple(given), axis, nd.Tuple(f.Shape()))
	}
	return a, nil
}

// Grow extends f by n positions along the axis that [File.Append] grows, with the guarantees and errors of Append. The
// new elements are zero. If n is negative, the error wraps [ErrShape].
func (f *File) Grow(n int) error { return f.extend(waitLimit{context.Background(), lockWait}, n) }

// GrowContext is [File.Grow] with a context; see [File.AppendContext].
func (f *File) GrowContext(ctx context.Context, n int) error {
	return f.extend(waitLimit{ctx, math.MaxInt64}, n)
}

func (f *File) extend(w waitLimit, n int) error {
	if _, err := f.growAxis(); err != nil {
		return err
	}
	if n < 0 {
		return fmt.Errorf("%s%w: cannot grow by %d; want 0 or more", nd.Prefix(f.Path()), ErrShape, n)
	}
	return f.lockAndUpdate(w, func() error {
		p := f.newProgress(w.ctx, 0, "grow")
		if n == 0 {
			return p.Begin()
		}
		return f.grow(n, func(longer *File, tail Array, old []byte) error {
			p.Total = int64(tail.NBytes())
			err := p.Begin()
			if err == nil {
				err = mmap.Guard(func() error { kernel.Clear(old); return nil })
			}
			if err == nil {
				err = p.syncPieces(longer, tail.view.Offset()+longer.h.DataOffset, tail.NBytes())
			}
			if err == nil {
				err = p.End()
			}
			return err
		})
	})
}

// growAxis returns the axis along which f grows and shrinks, or an error if f has a fixed length.
func (f *File) growAxis() (axis int, err error) {
	switch axis = f.h.Axis(); {
	case f.isZero():
		err = fmt.Errorf("array: grow: %w", fs.ErrClosed)
	case f.m == nil || f.m.Path() == "":
		err = fmt.Errorf("array: memory cannot grow or shrink: %w; use array.Create", errors.ErrUnsupported)
	case f.embedded:
		err = fmt.Errorf("%sa .npy file inside another file cannot grow or shrink: %w; save it to a file of its own",
			nd.Prefix(f.Path()), errors.ErrUnsupported)
	case f.headerless():
		err = fmt.Errorf("%sa file without a header cannot grow or shrink: %w; append to it with package os, then call Refresh",
			nd.Prefix(f.Path()), errors.ErrUnsupported)
	case f.m.Mode() == mmap.ReadOnly:
		err = fmt.Errorf("%s%w: open it with array.ReadWrite to grow or shrink it", nd.Prefix(f.Path()), ErrReadOnly)
	case f.m.Mode() != mmap.ReadWrite:
		err = fmt.Errorf("%sa file mapped %v cannot grow or shrink; open it with array.ReadWrite", nd.Prefix(f.Path()),
			f.m.Mode())
	case f.m.Bytes() == nil:
		err = &fs.PathError{Op: "grow", Path: f.Path(), Err: fs.ErrClosed}
	case axis < 0:
		err = fmt.Errorf("%s%w: an array without dimensions cannot grow or shrink", nd.Prefix(f.Path()), ErrShape)
	}
	return axis, err
}

// grow adds n positions along the growing axis and calls fill to set the new elements. longer is f with the new
// elements, tail has only these, and old is the bytes after the data in the file that become new elements.
//
// A crash leaves one of these on the disk. Before the data is synced: the old header, the old elements, and any part of
// the new elements, which no reader looks at. The sector with the last old element and the first new one contains the
// same old bytes before and after. After the sync: all elements, and the old header or the new one; see
// [npy.Header.Grow] for the order of sectors. A process that is killed leaves its writes in this order. Each edit of
// the header is one system call within one page, so the system does not leave half of it.
//
// The caller holds the lock of the file, and f is up to date with the file: see lockAndUpdate.
func (f *File) grow(n int, fill func(longer *File, tail Array, old []byte) error) error {
	path, b, oldEnd := f.Path(), f.m.Bytes(), f.h.DataOffset+f.h.NBytes
	axis := f.h.Axis()
	length := f.h.Shape[axis]
	if n > math.MaxInt-length {
		return fmt.Errorf("%s%w: length %d + %d overflows int", nd.Prefix(path), ErrShape, length, n)
	}
	head, next, edits, err := f.resizedHeader(length + n)
	if err != nil {
		return err
	}
	if n == 0 {
		return nil
	}
	newEnd := next.DataOffset + next.NBytes
	if newEnd > len(b) {
		if err := f.m.Grow(newEnd - len(b)); err != nil {
			return err
		}
		observe("grow", path, 0, 0)
	}
	written := false
	defer func() { // also if Progress panics
		if !written {
			f.rollback(oldEnd, len(b))
		}
	}()
	longer := *f // f does not change until everything is stored
	longer.h = next
	err = longer.setArray(path, f.m.Bytes()[next.DataOffset:newEnd])
	var tail Array
	if err == nil {
		tail, err = arrayOf(longer.view.Derive(nd.SelectRange(longer.view.Layout, axis, length, n)))
	}
	if err == nil {
		err = fill(&longer, tail, b[oldEnd:min(newEnd, len(b))])
	}
	if err == nil {
		observe("data", path, 0, 0)
		err = f.Sync() // also the old elements, which may have changed
	}
	if err == nil {
		err = f.checkSize(newEnd)
	}
	if err != nil {
		return err
	}
	written = true
	if unchanged, err := f.writeHeader(head, edits, pendingAppend{length, length + n}); err != nil {
		written = !unchanged
		return err
	}
	if err := f.checkSize(newEnd); err != nil {
		if _, werr := f.m.WriteAt(head, 0); werr == nil && f.syncRange(0, len(head)) == nil {
			f.growth.headerUncertain = nil
		}
		return err
	}
	f.growth.headerUncertain = nil
	if err := f.checkPath(); err != nil {
		return err
	}
	f.h, f.Array = next, longer.Array
	return nil
}

// resizedHeader returns the bytes of the header in the file, the header for length n of the growing axis, and the edits
// that change one to the other. It returns an error if another array follows the data in the file.
func (f *File) resizedHeader(n int) (head []byte, next npy.Header, edits []npy.Edit, err error) {
	head, err = f.headerBytes()
	if err == nil {
		err = mmap.Guard(func() error { return f.checkTrailing(f.m.Bytes()[f.h.DataOffset+f.h.NBytes:]) })
	}
	if err != nil {
		return nil, next, nil, err
	}
	next, edits, err = f.h.Grow(head, n)
	if e := formatError(f.Path(), err); e != err {
		err = e
	} else if err != nil {
		err = fmt.Errorf("%s%w", nd.Prefix(f.Path()), err)
	}
	return head, next, edits, err
}

// writeHeader makes edits to the header of the file, whose bytes are head, and stores each of them. After an error,
// unchanged says that the file still has the old header. Otherwise f.growth.headerUncertain is set to pending, which
// the caller resets when the change is complete.
func (f *File) writeHeader(head []byte, edits []npy.Edit, pending pendingAppend) (unchanged bool, err error) {
	f.growth.headerUncertain = &pending
	for _, e := range edits {
		if _, err := f.m.WriteAt(e.Bytes, int64(e.Offset)); err != nil {
			if unchanged, _ = f.hasBytes(0, head); unchanged {
				f.growth.headerUncertain = nil
			}
			return unchanged, err
		}
		observe("header", f.Path(), 0, 0)
		if err := f.syncRange(e.Offset, len(e.Bytes)); err != nil {
			return false, err
		}
	}
	return false, nil
}

// checkSize returns an error if the file has fewer than size bytes. Another process can truncate it without the lock.
// Nothing extends a truncated file again, so one check after several calls is enough.
func (f *File) checkSize(size int) error {
	info, err := f.m.Stat()
	if err == nil && info.Size() < int64(size) {
		err = fmt.Errorf("%s%w: it has %d bytes, and had %d when elements were appended: another process truncated it",
			nd.Prefix(f.Path()), mmap.ErrChanged, info.Size(), size)
	}
	return err
}

// headerBytes returns the bytes of the header in the file.
func (f *File) headerBytes() ([]byte, error) {
	b := make([]byte, f.h.DataOffset)
	_, err := f.m.ReadAt(b, 0)
	return b, err
}

// hasBytes reports whether the file contains want at byte off.
func (f *File) hasBytes(off int, want []byte) (has bool, err error) {
	err = mmap.Guard(func() error {
		b := f.m.Bytes()
		has = bytes.HasPrefix(b[min(off, len(b)):], want)
		return nil
	})
	return has, err
}

// confirmBytes reports whether the data contains want at byte off. If so, it writes and syncs the header again: after a
// failed sync, the system treats the page as stored until the page is written again.
func (f *File) confirmBytes(off int, want []byte) (has bool, err error) {
	head, err := f.headerBytes()
	if err == nil {
		has, err = f.hasBytes(f.h.DataOffset+off, want)
	}
	if err == nil && has {
		if _, err = f.m.WriteAt(head, 0); err == nil {
			err = f.syncRange(0, len(head))
		}
	}
	return has, err
}

// rollback undoes a failed Append. It truncates the file to its previous size, unless another process without the lock
// has changed the size since. If new elements remain after byte from, the end of the data, rollback makes sure that
// they do not look like another array. The caller has an error to return already, so errors of rollback are ignored.
func (f *File) rollback(from, size int) {
	if fi, err := f.m.Stat(); err == nil && fi.Size() == int64(f.m.Len()) && f.m.Len() > size {
		f.m.Truncate(int64(size))
	}
	if has, _ := f.hasBytes(from, []byte(npy.Magic)); has {
		f.m.WriteAt(make([]byte, len(npy.Magic)), int64(from))
	}
}

// checkTrailing returns an error if tail, the bytes of the file after the data, starts with another .npy file.
func (f *File) checkTrailing(tail []byte) error {
	if !bytes.HasPrefix(tail, []byte(npy.Magic)) {
		return nil
	}
	if _, _, n, err := npy.Span(tail, math.MaxInt32); err != nil || n > len(tail) {
		return nil // not a complete header
	}
	found := ""
	if h, err := npy.ParseObjects(tail, math.MaxInt32); err == nil {
		found = fmt.Sprintf(": shape %s of %.100v", pylit.AppendTuple(nil, h.Shape), h.DType)
	}
	end := f.h.DataOffset + f.h.NBytes
	return nd.OfKind(fmt.Errorf("%sanother array follows in the same file, at byte %d%s; Append would write over it. "+
		"If numpy.save put it there, save the arrays to files of their own; if an Append was killed, cut the file to %d bytes (os.Truncate, or truncate -s %d FILE)",
		nd.Prefix(f.Path()), end, found, end, end), ErrFormat)
}

// syncRange waits until n bytes of the file from byte off are on stable storage.
func (f *File) syncRange(off, n int) error {
	if n == 0 {
		return nil
	}
	err := f.m.SyncRange(off, n)
	if err == nil {
		observe("sync", f.currentPath(), off, n)
	}
	return err
}

// observe is called after each step that affects what a file or directory would contain if the system crashed. The
// power failure tests replace it.
var observe = func(op, path string, off, n int) {}
