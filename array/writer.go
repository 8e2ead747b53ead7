package array

import (
	"fmt"
	"io"
	"io/fs"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// A Writer writes a .npy file to a stream in parts, which are entries along its slowest axis; see [Reader]. It belongs
// to one goroutine.
type Writer struct {
	parts
	w      io.Writer
	err    error // of the stream
	closed bool
}

// NewWriter writes the header of an array of dtype d with that order, C or F, and shape to w. The elements follow, as
// [Writer.Write] gets them. Together they are the bytes that [Write] writes. The error is that of w, wraps [ErrShape]
// for a shape that cannot be, or is of a dtype that cannot be written to a header; see [dtype.DType.Descr].
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

// writeAll writes b, and has an error where that was not all.
func writeAll(w io.Writer, b []byte) error {
	n, err := w.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	return err
}

// Write writes the entries of src after those that were written: its shape is that of the array but for the slowest
// axis, and its elements are converted to the dtype of the stream, as [Copy] converts them. The errors for a dtype are
// those of Copy; one for a shape, or more entries than are missing, wraps [ErrShape]. Nothing is written then. An error
// of the stream comes again with each later call. What need not be converted and lies in the order of the stream is
// written from where it is; the rest goes through a buffer, as in the function [Write].
func (w *Writer) Write(src Array) error {
	entries, err := w.entries(src)
	if err != nil {
		return err
	}
	length := entries.view.lay.Len(0)
	switch _, err := assignment(w.element(), src.view.el); {
	case w.closed:
		return fmt.Errorf("array: Write: %w", fs.ErrClosed)
	case err != nil:
		return err
	case w.err != nil:
		return w.err
	case length > w.left:
		return fmt.Errorf("%s%w: %d entries along axis %d, and %d are missing", prefix(src.view.el.mem.Path), ErrShape,
			length, w.axis, w.left)
	}
	if !entries.DType().Equal(w.dtype) || !entries.Contiguous(index.C) {
		w.room(max(min(entries.Size()*w.dtype.ItemSize(), entries.slabBytes()), w.dtype.ItemSize()))
	}
	w.err = writeC(w.w, entries, w.dtype, w.buf)
	w.left -= length
	return w.err
}

// Close returns how many entries are missing, in an error that wraps [io.ErrUnexpectedEOF], or the error of the stream.
// It does not close that. The second Close returns an error that wraps [fs.ErrClosed].
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
