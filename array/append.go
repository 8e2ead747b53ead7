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
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/mmap"
)

// Append writes the elements of arrays after those of f, one array after the other,
// in the file, and f.Array is the longer array from then on. It grows along its
// first axis, or in F order ([File.Order]) along its last: that is where the end of
// the file is. The shape of each array is that of f but for its length along this
// axis; with that axis left out it is one step along it: a row. The dtype is that of
// f but for its byte order, else the error is a *[DTypeError]; a shape that does not
// fit wraps [ErrShape]. Arrays may be parts of f. All of them are looked at before
// anything is written.
//
// When Append returns, the file is on stable storage with the new shape. If the
// program or the machine stops before that, the file opens with the old shape or
// with the new one, and with all old elements: the data is written and synced first,
// then the shape in the header. NumPy leaves room for that in the header, as does
// Create; a header that has none is a *[FormatError], which says what to do. The
// header is then what numpy.save writes for the longer array.
//
// So each Append waits for the disk twice. For many small ones see [Appender].
//
// Views that were taken before have the shape that they had, and stay true: they
// are the same bytes of the file. f itself must not be used by other goroutines
// meanwhile; views may.
//
// After an error f is what it was. Where the disk is full it wraps ENOSPC, in a
// *fs.PathError, and the file is what it was, too; under Config.Sparse it may be a
// *mmap.FaultError. Where the disk fails while it stores the header, the file has
// either shape. Bytes that are left behind the data, by a crash or such an
// error, are written over by the next Append. Those that start another .npy file are
// not: numpy.save writes several to one file, and such a file does not grow.
//
// Files that are mapped mmap.ReadWrite grow. Memory does not, and the error wraps
// errors.ErrUnsupported; neither does a 0-d array. A file that is mapped ReadOnly is
// an error that wraps [ErrReadOnly]. A file that another process, or another File,
// has made longer is an error: see Config.Lock.
func (f *File) Append(arrays ...Array) error {
	axis, err := f.growing()
	if err != nil {
		return err
	}
	n := 0
	parts := make([]Array, len(arrays))
	for i, a := range arrays {
		if parts[i], err = f.steps(a, axis); err != nil {
			return err
		}
		if n += parts[i].Dim(axis); n < 0 {
			return fmt.Errorf("%s%w: the length of all overflows int", prefix(f.Path()), ErrShape)
		}
	}
	return f.grow(n, func(tail Array, _ []byte) error {
		sel := make([]index.Selector, axis+1) // colons
		at := 0
		for _, a := range parts {
			sel[axis] = index.Range(at, at+a.Dim(axis))
			at += a.Dim(axis)
			to, err := tail.Select(sel...)
			if err == nil {
				err = Copy(to, a)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// steps is a with all dimensions of f, or why it does not append to f.
func (f *File) steps(a Array, axis int) (Array, error) {
	a.mustBeSet()
	path := cmp.Or(a.el.mem.Path, f.Path())
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
		return a, fmt.Errorf("%s%w: %s does not append along axis %d to %s", prefix(path), ErrShape,
			tuple(given), axis, tuple(f.Shape()))
	}
	return a, nil
}

// Grow makes f longer by n along the axis that [File.Append] grows along. The new
// elements are zero, and take no time: they are not written where the file had no
// bytes. All else is as there.
func (f *File) Grow(n int) error {
	if _, err := f.growing(); err != nil {
		return err
	}
	if n < 0 {
		return fmt.Errorf("%s%w: an array does not grow by %d", prefix(f.Path()), ErrShape, n)
	}
	return f.grow(n, func(_ Array, old []byte) error {
		clear(old)
		return nil
	})
}

// growing is the axis that f grows along, or why it does not.
func (f *File) growing() (axis int, err error) {
	switch axis = f.h.Axis(); {
	case f.m == nil || f.m.Path() == "":
		err = fmt.Errorf("array: memory does not grow: %w; Create a file", errors.ErrUnsupported)
	case f.m.Mode() == mmap.ReadOnly:
		err = fmt.Errorf("%s%w: open it with mmap.ReadWrite to grow", prefix(f.Path()), ErrReadOnly)
	case f.m.Mode() != mmap.ReadWrite:
		err = fmt.Errorf("%sa file that is mapped %v does not grow; open it with mmap.ReadWrite", prefix(f.Path()), f.m.Mode())
	case f.m.Bytes() == nil:
		err = &fs.PathError{Op: "grow", Path: f.Path(), Err: fs.ErrClosed}
	case axis < 0:
		err = fmt.Errorf("%s%w: an array of no dimensions does not grow", prefix(f.Path()), ErrShape)
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
func (f *File) grow(n int, fill func(tail Array, old []byte) error) error {
	path, b, from := f.Path(), f.m.Bytes(), f.h.DataOffset+f.h.NBytes
	axis := f.h.Axis()
	length := f.h.Shape[axis]
	if n > math.MaxInt-length {
		return fmt.Errorf("%s%w: length %d + %d overflows int", prefix(path), ErrShape, length, n)
	}
	var head []byte
	err := mmap.Guard(func() error {
		head = slices.Clone(b[:f.h.DataOffset])
		return f.unchanged(b)
	})
	if err != nil {
		return err
	}
	next, edits, err := f.h.Grow(head, length+n)
	if e := formatError(path, err); e != err {
		return e
	} else if err != nil {
		return fmt.Errorf("%s%w", prefix(path), err)
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
	longer := *f // so that f is what it was until all is done
	longer.h = next
	if err := longer.overlay(path, f.m.Bytes()[next.DataOffset:to]); err != nil {
		return err
	}
	sel := make([]index.Selector, axis+1) // colons
	sel[axis] = index.Range(length, length+n)
	tail, err := longer.Select(sel...)
	if err != nil {
		return err
	}
	if err := mmap.Guard(func() error { return fill(tail, b[from:min(to, len(b))]) }); err != nil {
		return err
	}
	observe("data", path, 0, 0)
	if err := f.store(from, to-from); err != nil {
		return err
	}
	for _, e := range edits {
		if _, err := f.m.WriteAt(e.Bytes, int64(e.Offset)); err != nil {
			return err
		}
		observe("header", path, 0, 0)
		if err := f.store(e.Offset, len(e.Bytes)); err != nil {
			return err
		}
	}
	f.h, f.Array = next, longer.Array
	return nil
}

// unchanged is the error of a file whose header is not the one that f knows, or
// that has another one behind the data. b is the file.
func (f *File) unchanged(b []byte) error {
	now, err := npy.Parse(b[:f.h.DataOffset], math.MaxInt32)
	if err != nil || !slices.Equal(now.Shape, f.h.Shape) || !now.DType.Equal(f.h.DType) || now.Order != f.h.Order {
		return fmt.Errorf("%sthe header has changed since the file was opened, by another process or another File; open it again", prefix(f.Path()))
	}
	tail := b[f.h.DataOffset+f.h.NBytes:]
	if bytes.HasPrefix(tail, []byte(npy.Magic)) {
		if _, err := npy.Parse(tail, 0); err == nil {
			return fmt.Errorf("%sanother array follows in the same file, which would be written over; save them to files of their own", prefix(f.Path()))
		}
	}
	return nil
}

// store returns when n bytes of the file from byte off are on stable storage.
func (f *File) store(off, n int) error {
	if n == 0 {
		return nil
	}
	err := f.m.SyncRange(off, n)
	if err == nil {
		observe("sync", f.Path(), off, n)
	}
	return err
}

// observe is told of each step after which a file or a directory may be different
// after a crash: the test of power failures listens.
var observe = func(op, path string, off, n int) {}
