package zipfile

import (
	"fmt"
	"io"
	"math"
)

// A Source provides the bytes of an archive.
type Source interface {
	// Len returns the number of bytes.
	Len() int

	// Bytes returns n bytes at offset off, which must be within the archive. They are valid until the next call.
	Bytes(off, n int) ([]byte, error)
}

// A memorySource is an archive in memory.
type memorySource []byte

func (b memorySource) Len() int                         { return len(b) }
func (b memorySource) Bytes(off, n int) ([]byte, error) { return b[off : off+n : off+n], nil }

// NewSource returns a Source of the size bytes of r.
func NewSource(r io.ReaderAt, size int64) (Source, error) {
	if size < 0 || size > math.MaxInt {
		return nil, errorf("archive", 0, "invalid size: %d bytes", size)
	}
	return &bufferedSource{r: r, size: int(size)}, nil
}

// A bufferedSource reads more than requested, because the next record is usually near.
type bufferedSource struct {
	r    io.ReaderAt
	size int
	buf  []byte
	off  int // offset in the archive of the first byte of buf
}

const (
	nearBytes  = 4 << 10
	firstBytes = 16 << 20
)

func (s *bufferedSource) Len() int { return s.size }

func (s *bufferedSource) Bytes(off, n int) ([]byte, error) {
	if off < s.off || n > len(s.buf) || off-s.off > len(s.buf)-n {
		if err := s.fill(off, max(n, min(nearBytes, s.size-off))); err != nil {
			return nil, err
		}
	}
	return s.buf[off-s.off:][:n:n], nil
}

// fill reads n bytes into the buffer, which grows as they arrive.
func (s *bufferedSource) fill(off, n int) error {
	s.off = off
	if cap(s.buf) < min(n, firstBytes) {
		s.buf = make([]byte, 0, min(n, firstBytes))
	}
	s.buf = s.buf[:0]
	for got := 0; got < n; {
		if got == cap(s.buf) {
			s.buf = append(make([]byte, 0, min(n, 2*got)), s.buf...)
		}
		part := s.buf[got:min(n, cap(s.buf))]
		k, err := s.r.ReadAt(part, int64(off+got))
		got += k
		s.buf = s.buf[:got]
		switch {
		case k == len(part): // even with an error
		case err == nil || err == io.EOF || err == io.ErrUnexpectedEOF:
			return errorf("archive", off+got, "truncated: want %d bytes", s.size)
		default:
			return fmt.Errorf("read bytes %d to %d: %w", off, off+n, err)
		}
	}
	return nil
}

// A window holds the bytes b of an archive that start at offset off.
type window struct {
	b   []byte
	off int
}

// hasMagic reports whether w contains a record with the given magic number and length at byte at of the archive.
func (w window) hasMagic(at, length int, magic string) bool {
	at -= w.off
	return at >= 0 && at <= len(w.b)-length && string(w.b[at:at+len(magic)]) == magic
}

// from returns the bytes of w that start at offset at of the archive.
func (w window) from(at int) []byte { return w.b[at-w.off:] }
