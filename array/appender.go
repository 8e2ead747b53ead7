package array

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// An Appender collects elements in memory and appends them to a file many at a time, as a [bufio.Writer] does for
// bytes. What was flushed is on stable storage; the rest is lost if the program ends. It belongs to one goroutine, and
// the file must not be used by others while its methods run; views may. Close it before the File. The zero Appender is
// a closed one.
type Appender[T any] struct {
	f    *File
	axis int     // along which f grows
	row  int     // elements of one step along the growing axis
	buf  View[T] // a vector of the dtype of f
	mem  []byte  // of buf
	n    int     // elements in buf
	done bool

	uncertain *pendingAppend // of the first elements in buf: the file may have them; nil if it has none
}

// appenderBytes is how much an Appender collects before it waits for the disk.
const appenderBytes = 1 << 20

// NewAppender returns an Appender for f, which must be a file that grows; see [File.Append]. T must be the Go type of
// its elements; see [As]. The buffer has 1 MiB, or what the largest Append takes. A file of which one step has no
// elements is an error that wraps [ErrShape].
func NewAppender[T any](f *File) (*Appender[T], error) {
	axis, err := f.growAxis()
	if err != nil {
		return nil, err
	}
	if _, err := As[T](f.Array); err != nil {
		if e, ok := errors.AsType[*DTypeError](err); ok && e.Msg == "" && e.Have.IsNumber() {
			e.Msg = "NewAppender[" + goName(e.Have) + "] is for this file"
		}
		return nil, err
	}
	a := &Appender[T]{f: f, axis: axis, row: 1}
	for _, n := range slices.Delete(f.Shape(), axis, axis+1) {
		a.row *= n
	}
	if a.row == 0 {
		return nil, fmt.Errorf("%s%w: one step along axis %d has no elements; use File.Grow", nd.Prefix(f.Path()), ErrShape,
			axis)
	}
	// Not one row at least: that is a number in the file, and may be any.
	if err := a.resize(appenderBytes / (max(1, f.ItemSize()) * a.row) * a.row); err != nil {
		return nil, err
	}
	return a, nil
}

// resize makes room for n elements in the buffer, which is empty.
func (a *Appender[T]) resize(n int) error {
	d := a.f.DType()
	mem := strided.Alloc(n * d.ItemSize())
	vector, err := FromBytes(mem, d, a.f.Order(), n)
	if err != nil {
		return err
	}
	buf, err := As[T](vector)
	if err == nil {
		a.buf, a.mem = buf, mem
	}
	return err
}

// Append adds elements to the buffer, without a system call and without allocating: one step along the growing axis, or
// several, each with its elements in the order of the file. For an array of shape (n, 3) those are a multiple of 3;
// another number wraps [ErrShape]. Where there is no room it calls Flush first. After an error the buffer is as before.
func (a *Appender[T]) Append(x ...T) error {
	switch {
	case a.done || a.f == nil:
		return a.closed()
	case len(x)%a.row != 0:
		return fmt.Errorf("%s%w: %d elements appended; want a multiple of %d", nd.Prefix(a.f.Path()), ErrShape, len(x), a.row)
	}
	if len(x) > a.buf.Size()-a.n {
		if err := a.Flush(); err != nil {
			return err
		}
		if len(x) > a.buf.Size() {
			if err := a.resize(len(x)); err != nil {
				return err
			}
		}
	}
	for i, e := range x {
		a.buf.SetAt(e, a.n+i)
	}
	a.n += len(x)
	return nil
}

// Flush appends what is in the buffer to the file with [File.Append], whose promises hold. After an error it is still
// in the buffer, for another Flush. Where the disk failed while it stored the header, that one finds out whether the
// file has the elements, and stores the header again, or appends them.
func (a *Appender[T]) Flush() error {
	if a.done || a.f == nil {
		return a.closed()
	}
	if a.uncertain != nil {
		if err := a.settle(); err != nil {
			return err
		}
	}
	if a.n == 0 {
		return nil
	}
	shape := a.f.Shape()
	if now := a.f.h.Axis(); now != a.axis {
		return fmt.Errorf("%s%w: shape %s grows along axis %d, and the Appender is for axis %d; make a new one",
			nd.Prefix(a.f.Path()), ErrShape, nd.Tuple(shape), now, a.axis)
	}
	shape[a.axis] = a.n / a.row
	rows, err := FromBytes(a.mem, a.f.DType(), a.f.Order(), shape...)
	before := a.f.growth.headerUncertain
	if err == nil {
		err = a.f.Append(rows)
	}
	if err == nil {
		a.n = 0
	} else if a.f.growth.headerUncertain != before {
		a.uncertain = a.f.growth.headerUncertain
	}
	return err
}

// settle takes the elements in doubt out of the buffer if the file has them. Elements that others
// append follow them, unless the header that counts them was lost.
func (a *Appender[T]) settle() error {
	f, d := a.f, a.uncertain
	n := (d.to - d.from) * a.row
	return f.holdLock(func() error {
		if _, err := f.update(true); err != nil {
			return err
		}
		if f.h.Shape[a.axis] >= d.to {
			has, err := f.confirm(d.from*a.row*f.ItemSize(), a.mem[:n*f.ItemSize()])
			if err != nil {
				return err
			}
			if has {
				copy(a.mem, a.mem[n*f.ItemSize():])
				a.n -= n
			}
		}
		a.uncertain = nil
		if f.growth.headerUncertain == d {
			f.growth.headerUncertain = nil
		}
		return nil
	})
}

// Buffered returns the number of elements that the next Flush appends.
func (a *Appender[T]) Buffered() int { return a.n }

// Close calls Flush, and ends the use of a unless that fails. It does not close the file. The second Close returns an
// error that wraps [fs.ErrClosed].
func (a *Appender[T]) Close() error {
	err := a.Flush()
	if err == nil {
		a.done = true
	}
	return err
}

func (a *Appender[T]) closed() error {
	path := ""
	if a.f != nil {
		path = a.f.Path()
	}
	return fmt.Errorf("%sthe Appender is closed: %w", nd.Prefix(path), fs.ErrClosed)
}
