package array

import (
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Reader reads a .npy file from a stream in parts. What it reads are entries along the slowest axis: the first in C
// order, rows of a matrix, the last in F order. An array of no dimensions is one entry. It takes a buffer of up to 1
// MiB, or of one larger element, and belongs to one goroutine.
type Reader struct {
	parts
	r   io.Reader
	h   npy.Header
	at  int64 // where in the stream
	err error // of the stream
}

// parts is what a Reader and a Writer know of their stream.
type parts struct {
	dtype dtype.DType
	shape []int // with one axis of length 1 more, in front, for an array of no dimensions
	axis  int   // the slowest one
	left  int   // entries to come
	size  int   // bytes of an entry
	buf   []byte
	rank  int // of the array
}

func newParts(h *npy.Header, order index.Order) parts {
	p := parts{dtype: h.DType, shape: h.Shape, rank: len(h.Shape)}
	if p.rank == 0 {
		p.shape = []int{1}
	}
	if order == index.F {
		p.axis = len(p.shape) - 1
	}
	p.left = p.shape[p.axis]
	if p.left > 0 {
		p.size = h.NBytes / p.left
	}
	return p
}

// entries returns a with its entries along the first axis, in the order of the stream, or why it has other ones.
func (p *parts) entries(a Array) (Array, error) {
	path := a.view.MustBeSet().Mem.Path
	shape := a.Shape()
	if len(shape) == p.rank {
		if p.rank == 0 {
			return a.Select(index.NewAxis)
		}
		want := slices.Clone(p.shape)
		if want[p.axis] = shape[p.axis]; slices.Equal(shape, want) {
			if p.axis > 0 { // the axis of the entries comes first, and the others after it in the order of the stream
				a = a.T()
			}
			return a, nil
		}
	}
	return a, fmt.Errorf("%s%w: shape %s; want that of the stream, %s, but for axis %d", nd.Prefix(path), ErrShape,
		nd.Tuple(shape), nd.Tuple(p.shape[:p.rank]), p.axis)
}

// element returns what one of the elements in the stream is.
func (p *parts) element() *nd.Storage { return &nd.Storage{Mem: &strided.Memory{}, DType: p.dtype} }

// room returns a buffer of n bytes, of which there are not many.
func (p *parts) room(n int) []byte {
	if len(p.buf) < n {
		p.buf = strided.Alloc(n)
	}
	return p.buf[:n]
}

// NewReader reads a header from r, and not a byte more; for errors see [Read].
func NewReader(r io.Reader) (*Reader, error) { return Config{}.NewReader(r) }

// NewReader is the function [NewReader] with the fields of cfg.
func (cfg Config) NewReader(r io.Reader) (*Reader, error) {
	if err := cfg.check(forRead); err != nil {
		return nil, fmt.Errorf("array: read: %w", err)
	}
	h, err := readHeader(r, cfg.MaxHeader)
	if err != nil {
		return nil, err
	}
	return &Reader{parts: newParts(&h, h.Order), r: r, h: h, at: int64(h.DataOffset)}, nil
}

// DType returns the type of the elements in the stream.
func (r *Reader) DType() dtype.DType { return r.h.DType }

// Shape returns the shape of the whole array, in a new slice.
func (r *Reader) Shape() []int { return slices.Clone(r.h.Shape) }

// Order returns the order of the elements in the stream, C or F.
func (r *Reader) Order() index.Order { return r.h.Order }

// Version returns the version of the format: 1, 0 or 2, 0 or 3, 0.
func (r *Reader) Version() (major, minor int) { return int(r.h.Version[0]), int(r.h.Version[1]) }

// Read reads the next entries into dst, from its start: as many as dst has room for along the slowest axis, or as are
// left. It returns how many, and at the end of the array 0 and [io.EOF]. The shape of dst is that of the stream but for
// this axis, and elements convert as [Copy] converts them. What Copy refuses, and a dst without room, which wraps
// [ErrShape], reads nothing. If the stream ends too early the error is a *[FormatError] and wraps
// [io.ErrUnexpectedEOF]; it and other errors of the stream come again. The n entries before the error are read; others
// of dst may have changed.
func (r *Reader) Read(dst Array) (n int, err error) {
	if dst, err = r.entries(dst); err != nil {
		return 0, err
	}
	length := dst.view.Layout.Len(0)
	c, err := nd.Assignment(dst.view.Store, r.element())
	switch {
	case dst.ReadOnly():
		return 0, fmt.Errorf("%s%w", nd.Prefix(dst.view.Store.Mem.Path), ErrReadOnly)
	case err != nil:
		return 0, err
	case r.err != nil:
		return 0, r.err
	case r.left == 0:
		return 0, io.EOF
	case length == 0:
		return 0, fmt.Errorf("%s%w: no room for an entry along axis %d", nd.Prefix(dst.view.Store.Mem.Path), ErrShape, r.axis)
	}
	if length > r.left {
		dst = nd.Must(dst.Select(index.Range(0, r.left)))
		length = r.left
	}
	switch {
	case r.size == 0:
		n = length
	case c.IsPlain() && !c.HasPadding() && dst.Contiguous(index.C) && dst.view.Store.Mem.File == nil:
		// To what is mapped the buffer is copied: a page fault says more than the error of a system call.
		n = r.fill(strided.Slice[byte](dst.view.P, length*r.size)) / r.size
	default:
		n = r.convert(dst)
	}
	r.left -= n
	return n, r.err
}

// fill reads len(b) bytes, or as many as there are.
func (r *Reader) fill(b []byte) int {
	n, err := io.ReadFull(r.r, b)
	r.at += int64(n)
	if err != nil {
		r.err = cut("data", r.at, err)
	}
	return n
}

// convert reads the entries of dst through the buffer, and returns how many.
func (r *Reader) convert(dst Array) int {
	length := dst.view.Layout.Len(0)
	if r.size > chunk {
		for i := range length {
			if r.convertPart(dst.Index(i)); r.err != nil {
				return i
			}
		}
		return length
	}
	step := chunk / r.size
	shape := slices.Clone(dst.Shape())
	for lo := 0; lo < length; lo += step {
		shape[0] = min(step, length-lo)
		buf := r.room(shape[0] * r.size)
		whole := r.fill(buf) / r.size
		shape[0] = whole
		r.store(nd.Must(dst.Select(index.Range(lo, lo+whole))), buf, shape)
		if r.err != nil {
			return lo + whole
		}
	}
	return length
}

// convertPart reads an entry, or a part of one, that is larger than the buffer.
func (r *Reader) convertPart(dst Array) {
	n := dst.Size() * r.dtype.ItemSize()
	switch {
	case r.err != nil:
	case dst.NDim() == 0 && n > chunk: // one element, whose buffer grows as it arrives
		b, err := readN(r.r, n)
		if r.at += int64(len(b)); err != nil {
			r.err = cut("data", r.at, err)
			return
		}
		r.store(dst, b, nil)
	case n <= chunk:
		buf := r.room(n)
		if r.fill(buf); r.err == nil {
			r.store(dst, buf, dst.Shape())
		}
	default:
		length := dst.view.Layout.Len(0)
		step := max(1, chunk/(n/length))
		for lo := 0; lo < length; lo += step {
			if step == 1 {
				r.convertPart(dst.Index(lo))
			} else {
				r.convertPart(nd.Must(dst.Select(index.Range(lo, min(lo+step, length)))))
			}
		}
	}
}

// store copies what is in buf to dst.
func (r *Reader) store(dst Array, buf []byte, shape []int) {
	src, err := FromBytes(buf, r.dtype, index.C, shape...)
	if err == nil {
		err = Copy(dst, src)
	}
	if err != nil && r.err == nil {
		r.err = err
	}
}

// Skip passes over the next n entries. Where the reader is an [io.Seeker] that can seek, it seeks, and reads the last
// byte of them, so that a stream that ends too early is an error, as with Read; otherwise it reads them all. If fewer
// are left it passes over these and returns [io.EOF]. After the last entry the stream is at what follows the array.
func (r *Reader) Skip(n int) error {
	if n < 0 {
		return fmt.Errorf("array: Skip: %w: %d entries", fs.ErrInvalid, n)
	}
	if r.err != nil {
		return r.err
	}
	some := min(n, r.left)
	bytes := int64(some) * int64(r.size)
	if bytes > seekBytes && r.seek(bytes-1) {
		bytes = 0
	}
	for bytes > 0 && r.err == nil {
		bytes -= int64(r.fill(r.room(int(min(bytes, chunk)))))
	}
	if r.err != nil {
		return r.err
	}
	r.left -= some
	if some < n {
		return io.EOF
	}
	return nil
}

// seekBytes is the number of bytes up to which reading costs no more than seeking.
const seekBytes = 64 << 10

// seek passes over n+1 bytes of a stream that can seek and has as many: it reads the last one. It reports whether it
// did; if not, the stream is where it was, or r.err says why it is not.
func (r *Reader) seek(n int64) bool {
	s, ok := r.r.(io.Seeker)
	if !ok {
		return false
	}
	start, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return false // a pipe, say
	}
	at, err := s.Seek(n, io.SeekCurrent)
	if err == nil && at == start+n { // some devices return another position, and stay where they are
		var last [1]byte
		if _, err := io.ReadFull(r.r, last[:]); err == nil {
			r.at += n + 1
			return true
		}
	}
	if _, err := s.Seek(start, io.SeekStart); err != nil {
		r.err = err
	}
	return false
}
