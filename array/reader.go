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

// A Reader reads a .npy file from a stream, some entries at a time. An entry is one index of the slowest axis: the
// first axis in C order, the last one in F order. An array of no dimensions is one entry. A Reader allocates a buffer
// of up to 1 MiB, or of one larger element. Use it in one goroutine at a time.
type Reader struct {
	stream
	r   io.Reader
	h   npy.Header
	pos int64 // position in the stream
	err error // error of the stream, which later calls return again
}

// A stream describes the array that a Reader reads or a Writer writes, and counts the remaining entries.
type stream struct {
	dtype     dtype.DType
	shape     []int // for an array of no dimensions, one axis of length 1
	axis      int   // the slowest axis
	left      int   // entries that are not read or written yet
	entrySize int   // bytes of an entry
	buf       []byte
	rank      int // number of axes of the array
}

func newStream(h *npy.Header, order index.Order) stream {
	p := stream{dtype: h.DType, shape: h.Shape, rank: len(h.Shape)}
	if p.rank == 0 {
		p.shape = []int{1}
	}
	if order == index.F {
		p.axis = len(p.shape) - 1
	}
	p.left = p.shape[p.axis]
	if p.left > 0 {
		p.entrySize = h.NBytes / p.left
	}
	return p
}

// asEntries returns a with its entries along the first axis, in the order of the stream. It returns an error if entries
// of a and entries of the stream differ in shape.
func (p *stream) asEntries(a Array) (Array, error) {
	path := a.view.MustBeSet().Mem.Path
	shape := a.Shape()
	if len(shape) == p.rank {
		if p.rank == 0 {
			return a.Select(index.NewAxis)
		}
		want := slices.Clone(p.shape)
		if want[p.axis] = shape[p.axis]; slices.Equal(shape, want) {
			if p.axis > 0 { // the entries first, then the other axes in the order of the stream
				a = a.T()
			}
			return a, nil
		}
	}
	return a,
		fmt.Errorf("%s%w: shape %s does not match the shape of the stream, %s; only the length of axis %d may differ",
			nd.Prefix(path),
			ErrShape, nd.Tuple(shape), nd.Tuple(p.shape[:p.rank]), p.axis)
}

// storage returns a storage that describes the elements of the stream.
func (p *stream) storage() *nd.Storage { return &nd.Storage{Mem: &strided.Memory{}, DType: p.dtype} }

// buffer returns a buffer of n bytes, which the next call reuses.
func (p *stream) buffer(n int) []byte {
	if len(p.buf) < n {
		p.buf = strided.Alloc(n)
	}
	return p.buf[:n]
}

// NewReader reads a header from r, and no byte after it. For the errors see [Read].
func NewReader(r io.Reader) (*Reader, error) {
	h, err := readHeader(r)
	if err != nil {
		return nil, err
	}
	return &Reader{stream: newStream(&h, h.Order), r: r, h: h, pos: int64(h.DataOffset)}, nil
}

// DType returns the type of the elements in the stream.
func (r *Reader) DType() dtype.DType { return r.h.DType }

// Shape returns the shape of the whole array, in a new slice.
func (r *Reader) Shape() []int { return slices.Clone(r.h.Shape) }

// Order returns the order of the elements in the stream, C or F.
func (r *Reader) Order() index.Order { return r.h.Order }

// Version returns the version of the format: 1, 0 or 2, 0 or 3, 0.
func (r *Reader) Version() (major, minor int) { return int(r.h.Version[0]), int(r.h.Version[1]) }

// Read reads the next entries into dst: up to the length of dst along the slowest axis, or all that are left. It
// returns their number, and at the end of the array 0 and [io.EOF]. dst must have the shape of the array, except along
// the slowest axis, or the error wraps [ErrShape]. Elements are converted as by [Copy], whose errors Read returns
// before it reads. If the stream ends too early, the error is a *[FormatError] that wraps [io.ErrUnexpectedEOF]. After
// an error the first n entries are read, other elements of dst may have changed, and an error of the stream is returned
// again by later calls.
func (r *Reader) Read(dst Array) (n int, err error) {
	if dst, err = r.asEntries(dst); err != nil {
		return 0, err
	}
	length := dst.view.Layout.Len(0)
	c, err := nd.Assignment(dst.view.Store, r.storage())
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
		return 0, fmt.Errorf("%s%w: dst has length 0 along axis %d; want at least 1", nd.Prefix(dst.view.Store.Mem.Path),
			ErrShape, r.axis)
	}
	if length > r.left {
		dst = nd.Must(dst.Select(index.Range(0, r.left)))
		length = r.left
	}
	switch {
	case r.entrySize == 0:
		n = length
	case c.IsPlain() && !c.HasPadding() && dst.Contiguous(index.C) && dst.view.Store.Mem.File == nil:
		// Not for a mapped file: copying a buffer to it makes a page fault, which says more than the error of Read.
		n = r.readFull(strided.Slice[byte](dst.view.P, length*r.entrySize)) / r.entrySize
	default:
		n = r.convert(dst)
	}
	r.left -= n
	return n, r.err
}

// readFull reads len(b) bytes, or all bytes of a shorter stream, and returns their number.
func (r *Reader) readFull(b []byte) int {
	n, err := io.ReadFull(r.r, b)
	r.pos += int64(n)
	if err != nil {
		r.err = truncatedError("data", r.pos, err)
	}
	return n
}

// convert reads dst, which is not empty, through the buffer. It returns the number of positions along the first axis
// that it read.
func (r *Reader) convert(dst Array) (n int) {
	length := dst.Len(0)
	size := dst.Size() / length * r.dtype.ItemSize() // of one position, in the stream
	for n < length && r.err == nil {
		if size <= bufferBytes {
			buf := r.buffer(min(bufferBytes/size, length-n) * size)
			read := r.readFull(buf) / size
			r.store(nd.Must(dst.Select(index.Range(n, n+read))), buf)
			n += read
			continue
		}
		if part := dst.Index(n); part.NDim() > 0 {
			r.convert(part)
		} else if b, err := readN(r.r, size); err == nil { // one element: readN allocates memory as its bytes arrive
			r.pos += int64(size)
			r.store(part, b)
		} else {
			r.pos += int64(len(b))
			r.err = truncatedError("data", r.pos, err)
		}
		if r.err == nil {
			n++
		}
	}
	return n
}

// store copies the elements in buf to dst.
func (r *Reader) store(dst Array, buf []byte) {
	src, err := FromBytes(buf, r.dtype, index.C, dst.Shape()...)
	if err == nil {
		err = Copy(dst, src)
	}
	if r.err == nil {
		r.err = err
	}
}

// Skip skips the next n entries, by seeking if the stream supports it, and otherwise by reading. A stream that ends too
// early is an error, as with Read. If fewer than n entries are left, it skips these and returns [io.EOF]. After the
// last entry the stream is at the first byte after the array.
func (r *Reader) Skip(n int) error {
	if n < 0 {
		return fmt.Errorf("array: Skip: %w: %d entries; want 0 or more", fs.ErrInvalid, n)
	}
	if r.err != nil {
		return r.err
	}
	skipped := min(n, r.left)
	bytes := int64(skipped) * int64(r.entrySize)
	if bytes > seekBytes && r.skipBySeek(bytes-1) {
		bytes = 0
	}
	for bytes > 0 && r.err == nil {
		bytes -= int64(r.readFull(r.buffer(int(min(bytes, bufferBytes)))))
	}
	if r.err != nil {
		return r.err
	}
	r.left -= skipped
	if skipped < n {
		return io.EOF
	}
	return nil
}

// seekBytes is the maximum number of bytes that are read as fast as seeking skips them.
const seekBytes = 64 << 10

// skipBySeek skips n bytes and reads one more, if the stream can seek and has that many. It reports whether it did.
// If not, the position in the stream is unchanged, or r.err is set.
func (r *Reader) skipBySeek(n int64) bool {
	s, ok := r.r.(io.Seeker)
	if !ok {
		return false
	}
	start, err := s.Seek(0, io.SeekCurrent)
	if err != nil {
		return false // for example, a pipe
	}
	pos, err := s.Seek(n, io.SeekCurrent)
	if err == nil && pos == start+n { // some devices return another position, and do not move
		var last [1]byte
		if _, err := io.ReadFull(r.r, last[:]); err == nil {
			r.pos += n + 1
			return true
		}
	}
	if _, err := s.Seek(start, io.SeekStart); err != nil {
		r.err = err
	}
	return false
}
