package array

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// An Appender collects elements in memory and appends many at a time to a file, like a bufio.Writer. After Flush, they
// are on stable storage; elements still in memory are lost if the program ends. Only one goroutine at a time may use an
// Appender, and while its methods run, nothing else may use the File. Close the Appender before the File.
type Appender[T any] struct {
	f      *File
	axis   int     // axis along which f grows
	rowLen int     // elements at one position of that axis
	buf    View[T] // a vector of the dtype of f
	mem    []byte  // memory of buf
	n      int     // elements in buf
	done   bool

	uncertain *pendingAppend // failed Append of the first elements in buf, which may be in the file already; nil if none
}

// appenderBytes is the number of bytes that an Appender collects before it waits for the disk.
const appenderBytes = 1 << 20

// NewAppender returns an Appender for f. T must be the Go type of the elements, as for [As]. The buffer holds 1 MiB, or
// the elements of the largest Append. For a file that cannot grow, the error is the same as from [File.Append].
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
	a := &Appender[T]{f: f, axis: axis, rowLen: 1}
	for _, n := range slices.Delete(f.Shape(), axis, axis+1) {
		a.rowLen *= n
	}
	if a.rowLen == 0 {
		return nil, fmt.Errorf("%s%w: a row along axis %d has no elements; use File.Grow", nd.Prefix(f.Path()), ErrShape,
			axis)
	}
	// The buffer may be smaller than a row, because the header may promise rows of any size.
	if err := a.resize(appenderBytes / (max(1, f.ItemSize()) * a.rowLen) * a.rowLen); err != nil {
		return nil, err
	}
	return a, nil
}

// resize allocates a buffer for n elements. The old one must be empty.
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

// Append adds elements to the buffer. x must contain whole rows (positions of the growing axis) in the order of the
// file: for shape (n, 3) a multiple of 3 elements. Otherwise the error wraps [ErrShape]. If the buffer has no room,
// Append calls Flush first. It allocates only if x is larger than the buffer. After an error, x is not in the buffer.
func (a *Appender[T]) Append(x ...T) error {
	switch {
	case a.done || a.f == nil:
		return a.closedError()
	case len(x)%a.rowLen != 0:
		return fmt.Errorf("%s%w: %d elements appended; want a multiple of %d", nd.Prefix(a.f.Path()), ErrShape, len(x),
			a.rowLen)
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

// Flush appends the elements in the buffer to the file, with the guarantees and errors of [File.Append]. After an
// error, they stay in the buffer, and the next Flush appends them only once, even if storing the header failed.
func (a *Appender[T]) Flush() error {
	if a.done || a.f == nil {
		return a.closedError()
	}
	if a.uncertain != nil {
		if err := a.resolveUncertain(); err != nil {
			return err
		}
	}
	if a.n == 0 {
		return nil
	}
	shape := a.f.Shape()
	if axis := a.f.h.Axis(); axis != a.axis {
		return fmt.Errorf("%s%w: shape %s grows along axis %d, but the Appender appends along axis %d; create a new Appender",
			nd.Prefix(a.f.Path()), ErrShape, nd.Tuple(shape), axis, a.axis)
	}
	shape[a.axis] = a.n / a.rowLen
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

// resolveUncertain removes the uncertain elements from the buffer if the file has them. If the header that counts
// them was lost, other processes may have appended elements in their place, so resolveUncertain compares the bytes.
func (a *Appender[T]) resolveUncertain() error {
	f, d := a.f, a.uncertain
	n := (d.end - d.start) * a.rowLen
	return f.withLock(waitLimit{context.Background(), lockWait}, func() error {
		if _, err := f.update(true); err != nil {
			return err
		}
		if f.h.Shape[a.axis] >= d.end {
			has, err := f.confirmBytes(d.start*a.rowLen*f.ItemSize(), a.mem[:n*f.ItemSize()])
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

// Close calls Flush and, if that succeeds, closes a, but not the file. A second Close returns an error that wraps
// [fs.ErrClosed].
func (a *Appender[T]) Close() error {
	err := a.Flush()
	if err == nil {
		a.done = true
	}
	return err
}

// closedError returns the error for the use of a closed Appender.
func (a *Appender[T]) closedError() error {
	if a.f == nil {
		return fmt.Errorf("array: the Appender is closed: %w", fs.ErrClosed)
	}
	return fmt.Errorf("%sthe Appender is closed: %w", nd.Prefix(a.f.Path()), fs.ErrClosed)
}
