package array

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/internal/strided"
)

// Write writes a to w as a .npy file, byte for byte as numpy.save does. It returns the errors of w and of
// [dtype.DType.Descr]. Elements that are not contiguous go through a buffer of 1 MiB, or of up to a quarter of the
// memory if a file is not in memory.
func Write(w io.Writer, a Array) error {
	order := a.view.FileOrder(index.K)
	_, head, err := a.header(order)
	if err != nil {
		return err
	}
	if err := writeAll(w, head); err != nil {
		return err
	}
	if order == index.F {
		a = a.T()
	}
	var buf []byte
	if !a.Contiguous(index.C) {
		buf = strided.Alloc(min(a.NBytes(), a.view.SlabBytes(bufferBytes)))
	}
	return writeC(w, a, a.DType(), buf)
}

// header returns the header of a .npy file with the elements of a in the given order, and its bytes.
func (a Array) header(order index.Order) (npy.Header, []byte, error) {
	h, head, err := newHeader(a.DType(), order, a.Shape())
	if err != nil {
		err = fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
	}
	return h, head, err
}

// EncodedSize returns the number of bytes that [Write] writes for a, such as for a Content-Length header. It reads no
// elements. It returns the errors of [dtype.DType.Descr].
func EncodedSize(a Array) (int64, error) {
	h, _, err := a.header(a.view.FileOrder(index.K))
	if err != nil {
		return 0, err
	}
	return int64(h.DataOffset) + int64(h.NBytes), nil
}

// WriteTo implements [io.WriterTo] by [Write].
func (a Array) WriteTo(w io.Writer) (n int64, err error) {
	c := countingWriter{w: w}
	err = Write(&c, a)
	return c.n, err
}

// A countingWriter counts the bytes that it writes to w.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(min(max(n, 0), len(b)))
	return n, err
}

// bufferBytes is the size of the buffers between arrays and streams.
const bufferBytes = 1 << 20

// writeC writes the elements of a in C order, with dtype d. If the memory of a has the same bytes, it writes the memory
// itself. Otherwise it copies blocks of elements to buf, which has room for at least one element.
func writeC(w io.Writer, a Array, d dtype.DType, buf []byte) error {
	n := a.Size() * d.ItemSize()
	switch {
	case n == 0:
		return nil
	case a.Contiguous(index.C) && a.DType().Equal(d):
		return writeAll(w, strided.Slice[byte](a.view.P, n))
	case n <= len(buf):
		c, err := FromBytes(buf[:n], d, index.C, a.Shape()...)
		if err == nil {
			err = Copy(c, a)
		}
		if err == nil {
			err = writeAll(w, buf[:n])
		}
		return err
	case a.Len(0) == 1:
		return writeC(w, a.Index(0), d, buf)
	}
	// As many indices of the first axis as fit in the buffer, or half of them.
	step := max(1, min(a.Len(0)/2, len(buf)/(n/a.Len(0))))
	for lo := 0; lo < a.Len(0); lo += step {
		part, err := a.Select(index.Range(lo, min(lo+step, a.Len(0))))
		if err == nil {
			err = writeC(w, part, d, buf)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Read reads one .npy file from r into Go memory, and no byte after it. A [Reader] reads a file in parts. If the stream
// does not have the .npy format, the error is a *[FormatError]. If it ends too early, the error also wraps
// [io.ErrUnexpectedEOF], or [io.EOF] if it has no bytes at all. Memory is allocated as the data arrives, or at once if
// r is a file or another reader that knows its length.
func Read(r io.Reader) (Array, error) {
	h, err := readHeader(r)
	if err != nil {
		return Array{}, err
	}
	data, err := readN(r, h.NBytes)
	if err != nil {
		return Array{}, truncatedError("data", int64(h.DataOffset)+int64(len(data)), err)
	}
	return FromBytes(data, h.DType, h.Order, h.Shape...)
}

// readHeader reads the header of a .npy file from r, and no byte after it.
func readHeader(r io.Reader) (npy.Header, error) {
	h, err := npy.ReadHeader(r, npy.Parse)
	return h, formatError("", err)
}

// truncatedError returns a *FormatError for a stream that ends at byte at, if err says that the stream ended.
// Otherwise it returns err.
func truncatedError(part string, at int64, err error) error {
	if !npy.IsEOF(err) {
		return err
	}
	return fmt.Errorf("%w: %w", &FormatError{Part: part, Offset: at, Msg: "the stream ends here"}, io.ErrUnexpectedEOF)
}

// readN reads n bytes into memory that is aligned for any number. It allocates the memory at once if r is known to
// contain n bytes, and otherwise as the data arrives.
func readN(r io.Reader, n int) ([]byte, error) {
	first := min(n, bufferBytes)
	if int64(n) <= remaining(r) && strided.HasRoom(n) {
		first = n
	}
	b := strided.Alloc(first)
	got := 0
	for {
		m, err := io.ReadFull(r, b[got:])
		got += m
		if got == n || err != nil {
			return b[:got], err
		}
		longer := strided.Alloc(len(b) + min(n-len(b), len(b)))
		kernel.Copy(longer[:len(b)], b)
		b = longer
	}
}

// remaining returns the number of bytes left in r, or -1 if it is not known. It asks only types of the standard
// library.
func remaining(r io.Reader) int64 {
	switch r := r.(type) {
	case *bytes.Reader:
		return int64(r.Len())
	case *bytes.Buffer:
		return int64(r.Len())
	case *strings.Reader:
		return int64(r.Len())
	case *io.LimitedReader:
		return min(r.N, remaining(r.R))
	case *os.File:
		fi, err := r.Stat()
		if err != nil || !fi.Mode().IsRegular() {
			return -1
		}
		pos, err := r.Seek(0, io.SeekCurrent)
		if err != nil {
			return -1
		}
		return fi.Size() - pos
	}
	return -1
}

// A Writer writes a .npy file to a stream, some entries at a time. Entries are the parts of the array that a [Reader]
// reads. Only one goroutine at a time may use a Writer.
type Writer struct {
	stream
	w      io.Writer
	err    error // error of the stream, which later calls return again
	closed bool
}

// NewWriter writes the header of an array to w. [Writer.Write] writes the elements. It returns the errors of w and of
// [dtype.DType.Descr], and [ErrShape] for a shape or an order that is not valid.
func NewWriter(w io.Writer, d dtype.DType, order index.Order, shape ...int) (*Writer, error) {
	h, head, err := newHeader(d, order, shape)
	if err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	if err := writeAll(w, head); err != nil {
		return nil, err
	}
	// The header of an array that is contiguous in both orders says C. Entries follow the order that the caller gave.
	return &Writer{stream: newStream(&h, order), w: w}, nil
}

// writeAll writes b to w. It returns an error if not all bytes were written. A page fault in b becomes an error even if
// it occurs in a system call.
func writeAll(w io.Writer, b []byte) error {
	var n int
	return stable.Write(w, b, &n)
}

// Write writes the entries of src after the entries that were written before. src must have the shape of the array,
// except along the slowest axis, and not more entries than are missing, or the error wraps [ErrShape]. Elements are
// converted as by [Copy], whose errors Write returns. After these errors nothing is written. An error of the stream is
// returned again by later calls.
func (w *Writer) Write(src Array) error {
	entries, err := w.asEntries(src)
	if err != nil {
		return err
	}
	length := entries.view.Layout.Len(0)
	switch _, err := nd.Assignment(w.storage(), src.view.Store); {
	case w.closed:
		return fmt.Errorf("array: Write: %w", fs.ErrClosed)
	case err != nil:
		return err
	case w.err != nil:
		return w.err
	case length > w.left:
		return fmt.Errorf("%s%w: cannot write %d entries along axis %d: only %d are missing",
			nd.Prefix(src.view.Store.Mem.Path),
			ErrShape,
			length, w.axis, w.left)
	}
	if !entries.DType().Equal(w.dtype) || !entries.Contiguous(index.C) {
		w.buffer(max(min(entries.Size()*w.dtype.ItemSize(), entries.view.SlabBytes(bufferBytes)), w.dtype.ItemSize()))
	}
	w.err = errors.New("array: an earlier Write did not finish") // if reading src panics
	w.err = writeC(w.w, entries, w.dtype, w.buf)
	w.left -= length
	return w.err
}

// Close returns an error if entries are missing: the error of the stream, or one that wraps [io.ErrUnexpectedEOF]. It
// does not close the stream. A second Close returns an error that wraps [fs.ErrClosed].
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
