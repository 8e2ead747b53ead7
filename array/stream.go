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

// Write writes a as a .npy file to w, byte for byte as numpy.save. What lies in another order goes through
// a buffer of 1 MiB at most, or, of a file that is read across its order, of 128 MiB or a quarter of the memory: a page
// is read once for each. The errors are those of w and of [dtype.DType.Descr].
func Write(w io.Writer, a Array) error {
	order := a.view.FileOrder(index.K)
	_, head, err := newHeader(a.DType(), order, a.Shape())
	if err != nil {
		return fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
	}
	if err := writeAll(w, head); err != nil {
		return err
	}
	if order == index.F {
		a = a.T()
	}
	var buf []byte
	if !a.Contiguous(index.C) {
		buf = strided.Alloc(min(a.NBytes(), a.view.SlabBytes(chunk)))
	}
	return writeC(w, a, a.DType(), buf)
}

const chunk = 1 << 20 // bytes

// writeC writes the elements of a in C order, with dtype d: at once where they lie so, else by
// parts that have room in buf, as one element of d has.
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
	// As many positions of the first axis as fit the buffer, or halves.
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

// Read reads one .npy file from r into Go's memory, and not a byte more. The error of a stream that is not as the
// format says is a *[FormatError]. If it ends too early the error also wraps [io.ErrUnexpectedEOF]; if it has no byte,
// [io.EOF]. Memory is allocated as the data arrives, or once where r is a file, or another reader of Go's that knows
// its length. A [Reader] reads in parts.
func Read(r io.Reader) (Array, error) { return Config{}.Read(r) }

// Read is the function [Read] with the fields of cfg.
func (cfg Config) Read(r io.Reader) (Array, error) {
	if err := cfg.check("Read"); err != nil {
		return Array{}, fmt.Errorf("array: read: %w", err)
	}
	h, err := readHeader(r, cfg.MaxHeader)
	if err != nil {
		return Array{}, err
	}
	data, err := readN(r, h.NBytes)
	if err != nil {
		return Array{}, cut("data", int64(h.DataOffset)+int64(len(data)), err)
	}
	return FromBytes(data, h.DType, h.Order, h.Shape...)
}

// readHeader reads the header of a .npy file from r, and not a byte more.
func readHeader(r io.Reader, maxHeader int) (npy.Header, error) {
	head := make([]byte, npy.PrefixLen-2, npy.PrefixLen)
	if n, err := io.ReadFull(r, head); n == 0 && isEOF(err) {
		return npy.Header{}, fmt.Errorf("%w: %w", &FormatError{Part: "header", Msg: "the stream ends here"}, err)
	} else if isEOF(err) {
		_, _, _, bad := npy.Span(head[:n], 0)
		if bad = formatError("", bad); bad.(*FormatError).Offset == int64(n) { // right as far as it goes
			bad = fmt.Errorf("%w: %w", bad, err)
		}
		return npy.Header{}, bad
	} else if err != nil {
		return npy.Header{}, err
	}
	prefix := head
	if bytes.HasPrefix(head, []byte(npy.Magic)) {
		prefix = append(head, 0, 0) // versions 2 and 3 have a longer length field
	}
	_, start, end, err := npy.Span(prefix, maxHeader)
	if err != nil {
		return npy.Header{}, formatError("", err)
	}
	if start > len(head) {
		head = head[:start]
		if n, err := io.ReadFull(r, head[npy.PrefixLen-2:]); err != nil {
			return npy.Header{}, cut("header", int64(npy.PrefixLen-2+n), err)
		}
		if _, _, end, err = npy.Span(head, maxHeader); err != nil {
			return npy.Header{}, formatError("", err)
		}
	}
	text := make([]byte, end-start) // bounded by the limit for headers
	if n, err := io.ReadFull(r, text); err != nil {
		return npy.Header{}, cut("header", int64(start+n), err)
	}
	h, err := npy.Parse(append(head, text...), maxHeader)
	return h, formatError("", err)
}

func isEOF(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }

// cut is the error of a stream that ends at a byte, or fails there.
func cut(part string, at int64, err error) error {
	if !isEOF(err) {
		return err
	}
	return fmt.Errorf("%w: %w", &FormatError{Part: part, Offset: at, Msg: "the stream ends here"}, io.ErrUnexpectedEOF)
}

// readN reads n bytes, into memory that is aligned for any number: allocated at once where r is known to have as
// many, else as the data arrives.
func readN(r io.Reader, n int) ([]byte, error) {
	first := min(n, chunk)
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
		more := strided.Alloc(len(b) + min(n-len(b), len(b)))
		kernel.Copy(more[:len(b)], b)
		b = more
	}
}

// remaining returns how many bytes r has still, -1 where it does not tell. What others than Go's own types say is
// not relied on.
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
		at, err := r.Seek(0, io.SeekCurrent)
		if err != nil {
			return -1
		}
		return fi.Size() - at
	}
	return -1
}

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
		w.room(max(min(entries.Size()*w.dtype.ItemSize(), entries.view.SlabBytes(chunk)), w.dtype.ItemSize()))
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
