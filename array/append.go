package array

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/pylit"
	"github.com/ndmap/ndmap/mmap"
)

// Append writes the elements of arrays after those of f, one array after the other, in the file, and f.Array is the
// longer array from then on. It grows along its first axis, or in F order ([File.Order]) along its last. A column, all
// of whose lengths but the first are 1, grows along its first axis and is in C order then: the bytes of both orders are
// the same. An array has the dtype of f but for its byte order, and its shape but for the length along that axis, which
// may be left out: a row. Other dtypes are a *[DTypeError], and other shapes wrap [ErrShape]. Arrays may be parts of
// f. Views that were taken before stay valid.
//
// When Append returns, the file is on stable storage with the new shape and all that was written through f before. If
// the program or the machine stops before that, the file opens with the old shape or the new one, and with all elements
// that were stored before. So each Append waits for the disk twice: for many small arrays use an [Appender].
//
// Several Files, of several processes, append to one file: each Append takes its lock ([mmap.Map.Lock]), for which it
// waits for Config.LockTimeout, then an error that wraps [mmap.ErrLocked], and writes after what others have appended.
// NumPy takes no lock: where it writes meanwhile, elements are lost, and so where the file system has no locks. Where
// another process truncates the file during a call, the error wraps [mmap.ErrChanged] or is a *[mmap.FaultError]; but
// between a look at the size and the system call that follows it, what was cut becomes zeros, without an error.
//
// After an error f is what it was, or has what others have appended, and the file has none of the new elements, but
// where the disk fails while it stores the header: README.md. On a full disk the error wraps ENOSPC; with Config.Sparse
// it may be a *[mmap.FaultError]. Where the path is another file by now, or none, it wraps [mmap.ErrReplaced]. A header
// without room, which NumPy and Create leave, is a *[FormatError] that says what to do. Bytes after the data, which a
// process that was killed has left, are overwritten, unless they begin another .npy file, which is an error. Only files
// that are mapped [ReadWrite] grow. For ReadOnly ones the error wraps [ErrReadOnly]; for memory, and what [OpenAt] and
// [OpenRaw] open, [errors.ErrUnsupported]; and for an array of no dimensions [ErrShape].
func (f *File) Append(arrays ...Array) error {
	axis, err := f.growAxis()
	if err != nil {
		return err
	}
	n, nbytes := 0, 0
	parts := make([]Array, len(arrays))
	for i, a := range arrays {
		if parts[i], err = f.asRows(a, axis); err != nil {
			return err
		}
		nbytes += parts[i].NBytes()
		if n += parts[i].Len(axis); n < 0 || nbytes < 0 {
			return fmt.Errorf("%s%w: the length of all overflows int", nd.Prefix(f.Path()), ErrShape)
		}
	}
	return f.withLock(func() error {
		p := f.growth.newProgress(nbytes)
		if err := p.Begin(); err != nil {
			return err
		}
		return f.grow(n, func(longer *File, tail Array, _ []byte) error {
			sel := make([]index.Selector, axis+1) // colons
			at := 0
			for _, a := range parts {
				sel[axis] = index.Range(at, at+a.Len(axis))
				at += a.Len(axis)
				to, err := tail.Select(sel...)
				if err == nil {
					err = p.copyToFile(longer, to, a)
				}
				if err != nil {
					return err
				}
			}
			err := p.storePieces(longer, tail.view.Offset()+longer.h.DataOffset, tail.NBytes())
			if err == nil {
				err = p.End() // before the header counts the elements
			}
			return err
		})
	})
}

// asRows is a with all dimensions of f, or why it does not append to f.
func (f *File) asRows(a Array, axis int) (Array, error) {
	a.view.MustBeSet()
	path := cmp.Or(a.view.Store.Mem.Path, f.Path())
	if have, want := a.DType(), f.DType(); !have.WithOrder(dtype.Native).Equal(want.WithOrder(dtype.Native)) {
		return a, &DTypeError{Path: path, Have: have, Want: want, Msg: "Append does not convert; Convert does"}
	}
	given, want := a.Shape(), f.Shape()
	if len(given) == len(want)-1 {
		row := []index.Selector{index.NewAxis}
		if axis > 0 {
			row = []index.Selector{index.Ellipsis, index.NewAxis}
		}
		var err error
		if a, err = a.Select(row...); err != nil {
			return a, err
		}
	}
	have := a.Shape()
	if len(have) == len(want) {
		want[axis] = have[axis]
	}
	if !slices.Equal(have, want) {
		return a, fmt.Errorf("%s%w: %s does not append along axis %d to %s", nd.Prefix(path), ErrShape,
			nd.Tuple(given), axis, nd.Tuple(f.Shape()))
	}
	return a, nil
}

// Grow makes f longer by n along the axis that [File.Append] grows along. The new elements are zero; where the file had
// no bytes they cost nothing. A negative n wraps [ErrShape]. All else is as with Append, without Progress.
func (f *File) Grow(n int) error {
	if _, err := f.growAxis(); err != nil {
		return err
	}
	if n < 0 {
		return fmt.Errorf("%s%w: an array does not grow by %d", nd.Prefix(f.Path()), ErrShape, n)
	}
	return f.withLock(func() error {
		return f.grow(n, func(_ *File, _ Array, old []byte) error {
			return mmap.Guard(func() error {
				kernel.Clear(old)
				return nil
			})
		})
	})
}

// growAxis is the axis that f grows along, or why it does not.
func (f *File) growAxis() (axis int, err error) {
	switch axis = f.h.Axis(); {
	case f.isZero():
		err = fmt.Errorf("array: grow: %w", fs.ErrClosed)
	case f.m == nil || f.m.Path() == "":
		err = fmt.Errorf("array: memory does not grow: %w; Create a file", errors.ErrUnsupported)
	case f.inside:
		err = fmt.Errorf("%sa .npy file inside of another file does not grow: %w; Save it to a file of its own",
			nd.Prefix(f.Path()), errors.ErrUnsupported)
	case f.headerless():
		err = fmt.Errorf("%sa file without a header does not grow: %w; write to its end with package os, and Refresh",
			nd.Prefix(f.Path()), errors.ErrUnsupported)
	case f.m.Mode() == mmap.ReadOnly:
		err = fmt.Errorf("%s%w: open it with mmap.ReadWrite to grow", nd.Prefix(f.Path()), ErrReadOnly)
	case f.m.Mode() != mmap.ReadWrite:
		err = fmt.Errorf("%sa file that is mapped %v does not grow; open it with mmap.ReadWrite", nd.Prefix(f.Path()),
			f.m.Mode())
	case f.m.Bytes() == nil:
		err = &fs.PathError{Op: "grow", Path: f.Path(), Err: fs.ErrClosed}
	case axis < 0:
		err = fmt.Errorf("%s%w: an array of no dimensions does not grow", nd.Prefix(f.Path()), ErrShape)
	}
	return axis, err
}

// grow adds n steps along the growing axis. fill makes the new elements what they
// are to be; old is what the file had in their place already.
//
// What is on the disk after a crash: until the data is synced, the old header, old
// elements, and any part of the new ones, which no reader looks at; the sector
// with the last old element and the first new one has the same old bytes before
// and after. From then on all elements, and one header or the other: see
// [npy.Header.Grow], which takes care of sectors. A process that is killed
// leaves whatever it wrote, in the order in which it was written: each edit of the
// header is one system call within one page, which the system does not leave half
// done.
//
// f is what the file is, and nobody else appends to it: see alone.
func (f *File) grow(n int, fill func(longer *File, tail Array, old []byte) error) error {
	path, b, from := f.Path(), f.m.Bytes(), f.h.DataOffset+f.h.NBytes
	axis := f.h.Axis()
	length := f.h.Shape[axis]
	if n > math.MaxInt-length {
		return fmt.Errorf("%s%w: length %d + %d overflows int", nd.Prefix(path), ErrShape, length, n)
	}
	var head []byte
	err := mmap.Guard(func() error {
		head = slices.Clone(b[:f.h.DataOffset])
		return f.checkTrailing(b[from:])
	})
	if err != nil {
		return err
	}
	next, edits, err := f.h.Grow(head, length+n)
	if e := formatError(path, err); e != err {
		return e
	} else if err != nil {
		return fmt.Errorf("%s%w", nd.Prefix(path), err)
	}
	if n == 0 {
		return nil
	}
	to := next.DataOffset + next.NBytes
	if to > len(b) {
		if err := f.m.Grow(to - len(b)); err != nil {
			return err
		}
		observe("grow", path, 0, 0)
	}
	written := false
	defer func() { // also when Progress panics
		if !written {
			f.rollback(from, len(b))
		}
	}()
	longer := *f // so that f is what it was until all is done
	longer.h = next
	err = longer.overlay(path, f.m.Bytes()[next.DataOffset:to])
	var tail Array
	if err == nil {
		sel := make([]index.Selector, axis+1) // colons
		sel[axis] = index.Range(length, length+n)
		tail, err = longer.Select(sel...)
	}
	if err == nil {
		err = fill(&longer, tail, b[from:min(to, len(b))])
	}
	if err == nil {
		observe("data", path, 0, 0)
		err = f.Sync() // with what was written to the old elements
	}
	if err == nil {
		err = f.checkSize(to)
	}
	if err != nil {
		return err
	}
	written = true
	f.growth.headerUncertain = &pendingAppend{length, length + n}
	for _, e := range edits {
		if _, err := f.m.WriteAt(e.Bytes, int64(e.Offset)); err != nil {
			if f.startsWith(head) { // none of it was written
				f.growth.headerUncertain, written = nil, false
			}
			return err
		}
		observe("header", path, 0, 0)
		if err := f.store(e.Offset, len(e.Bytes)); err != nil {
			return err
		}
	}
	if err := f.checkSize(to); err != nil {
		if _, lost := f.m.WriteAt(head, 0); lost == nil && f.store(0, len(head)) == nil {
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

// checkSize is the error of a file that has been truncated to less than size bytes. Truncating waits for no lock. No
// call makes a file longer that has become too short, so that one look after several of them is enough.
func (f *File) checkSize(size int) error {
	info, err := f.m.Stat()
	if err == nil && info.Size() < int64(size) {
		err = fmt.Errorf("%s%w: it has %d bytes, and had %d when elements were appended: another process truncated it",
			nd.Prefix(f.Path()), mmap.ErrChanged, info.Size(), size)
	}
	return err
}

// startsWith reports whether the file starts with head.
func (f *File) startsWith(head []byte) (same bool) {
	mmap.Guard(func() error {
		same = bytes.HasPrefix(f.m.Bytes(), head)
		return nil
	})
	return same
}

// confirm reports whether the data has want from byte off on. If so, it stores the header again:
// a page whose store failed counts as stored until it is written again.
func (f *File) confirm(off int, want []byte) (has bool, err error) {
	var head []byte
	err = mmap.Guard(func() error {
		b := f.m.Bytes()
		has = bytes.HasPrefix(b[f.h.DataOffset+off:], want)
		head = slices.Clone(b[:f.h.DataOffset])
		return nil
	})
	if err == nil && has {
		if _, err = f.m.WriteAt(head, 0); err == nil {
			err = f.store(0, len(head))
		}
	}
	return has, err
}

// rollback removes what an Append that failed has left behind the data, which ends at byte
// from of a file that had size bytes, unless somebody who takes no lock has made the file longer
// since. What cannot be removed must not look like another array. There is no way to report
// an error of this beside the one that there is.
func (f *File) rollback(from, size int) {
	if fi, err := f.m.Stat(); err == nil && fi.Size() == int64(f.m.Len()) && f.m.Len() > size {
		f.m.Truncate(int64(size))
	}
	b := f.m.Bytes()[min(from, f.m.Len()):]
	starts := false
	mmap.Guard(func() error {
		starts = bytes.HasPrefix(b, []byte(npy.Magic))
		return nil
	})
	if starts {
		f.m.WriteAt(make([]byte, len(npy.Magic)), int64(from))
	}
}

// checkTrailing is the error of another array behind the data, of which tail are the bytes.
func (f *File) checkTrailing(tail []byte) error {
	if !bytes.HasPrefix(tail, []byte(npy.Magic)) {
		return nil
	}
	if _, _, n, err := npy.Span(tail, math.MaxInt32); err != nil || n > len(tail) {
		return nil // no whole header
	}
	about := ""
	if h, err := npy.ParseObjects(tail, math.MaxInt32); err == nil {
		about = fmt.Sprintf(": shape %s of %.100v", pylit.AppendTuple(nil, h.Shape), h.DType)
	}
	end := f.h.DataOffset + f.h.NBytes
	return nd.OfKind(fmt.Errorf("%sanother array follows in the same file, from byte %d on%s; Append would write over it. "+
		"If numpy.save put it there, save the arrays to files of their own; if an Append was killed, cut the file to %d bytes (os.Truncate, or truncate -s %d FILE)",
		nd.Prefix(f.Path()), end, about, end, end), ErrFormat)
}

// store returns when n bytes of the file from byte off are on stable storage.
func (f *File) store(off, n int) error {
	if n == 0 {
		return nil
	}
	err := f.m.SyncRange(off, n)
	if err == nil {
		observe("sync", f.place(), off, n)
	}
	return err
}

// observe is told of each step after which a file or a directory may be different
// after a crash: the test of power failures listens.
var observe = func(op, path string, off, n int) {}
