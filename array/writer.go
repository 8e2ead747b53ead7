package array

import (
	"errors"
	"fmt"
	"io"
	"io/fs"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/stable"
)

// A Writer writes a .npy file to a stream in parts, entries as a [Reader] has them. It belongs to one goroutine.
type Writer struct {
	parts
	w      io.Writer
	err    error // of the stream
	closed bool
}

// NewWriter writes the header of an array to w. The elements follow, by [Writer.Write]; together they are what [Write]
// writes. The error is of w or [dtype.DType.Descr], or wraps [ErrShape].
func NewWriter(w io.Writer, d dtype.DType, order index.Order, shape ...int) (*Writer, error) {
	h, head, err := newHeader(d, order, shape)
	if err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	if err := writeAll(w, head); err != nil {
		return nil, err
	}
	// What is contiguous in both orders has the header of C, and its entries along the axis that was asked for.
	return &Writer{parts: newParts(&h, order), w: w}, nil
}

// writeAll writes b, and has an error where that was not all. A page fault in b is one also where it is a system call
// that meets it.
func writeAll(w io.Writer, b []byte) error {
	var n int
	return stable.Write(w, b, &n)
}

// Write writes the entries of src after those before: it has the shape of the array but for the slowest axis, and
// elements convert as [Copy] converts them. Another dtype is an error of Copy; another shape, and more entries than are
// missing, wrap [ErrShape]. Nothing is written then. An error of the stream comes again with each call. What need not
// be converted and lies in the order of the stream is written from where it is.
func (w *Writer) Write(src Array) error {
	entries, err := w.entries(src)
	if err != nil {
		return err
	}
	length := entries.view.Layout.Len(0)
	switch _, err := nd.Assignment(w.element(), src.view.Store); {
	case w.closed:
		return fmt.Errorf("array: Write: %w", fs.ErrClosed)
	case err != nil:
		return err
	case w.err != nil:
		return w.err
	case length > w.left:
		return fmt.Errorf("%s%w: %d entries along axis %d, and %d are missing", nd.Prefix(src.view.Store.Mem.Path), ErrShape,
			length, w.axis, w.left)
	}
	if !entries.DType().Equal(w.dtype) || !entries.Contiguous(index.C) {
		w.room(max(min(entries.Size()*w.dtype.ItemSize(), entries.slabBytes()), w.dtype.ItemSize()))
	}
	w.err = errors.New("array: the entries before were not written to their end") // if reading src panics
	w.err = writeC(w.w, entries, w.dtype, w.buf)
	w.left -= length
	return w.err
}

// Close returns how many entries are missing, in an error that wraps [io.ErrUnexpectedEOF], or the error of the stream,
// which it does not close. The second Close returns an error that wraps [fs.ErrClosed].
func (w *Writer) Close() error {
	if w.closed {
		return fmt.Errorf("array: Close: %w", fs.ErrClosed)
	}
	w.closed = true
	switch {
	case w.err != nil:
		return w.err
	case w.left > 0:
		return fmt.Errorf("array: %d of %d entries along axis %d are missing: %w", w.left, w.shape[w.axis], w.axis,
			io.ErrUnexpectedEOF)
	}
	return nil
}
