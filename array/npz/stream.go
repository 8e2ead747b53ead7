package npz

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/ndmap/ndmap/internal/zipfile"
)

// NewReader opens the archive of size bytes that r reads, such as a file of another file system, a section of a larger
// file, or a remote object that is read by ranges. The archive is read-only. [Archive.Array] reads a member into memory
// when it is first requested, checks its CRC, and keeps it until [Archive.Close] or [Archive.Release]. Close does not
// close r.
//
// The errors are the errors of r, and an *[array.FormatError] for malformed bytes.
//
// NewReader performs the checks of [Open], usually with one or two reads for each member. It does not read the data.
func NewReader(r io.ReaderAt, size int64) (*Archive, error) {
	a := &Archive{r: sizedReader{r, size}}
	s, err := zipfile.NewSource(r, size)
	var d zipfile.Directory
	if err == nil {
		d, err = zipfile.ParseSource(s)
	}
	if err != nil {
		return nil, a.formatError(err)
	}
	a.setMembers(d.Members)
	return a, nil
}

// OpenBytes opens the archive in b, such as an embedded file, a message or a database blob. It performs the checks of
// [Open]. All arrays are read-only. The arrays of stored members are views of b, which must not change. Compressed
// members are inflated when they are first requested, and Close frees their memory.
func OpenBytes(b []byte) (*Archive, error) {
	a := &Archive{b: b}
	members, err := zipfile.Parse(b)
	if err != nil {
		return nil, a.formatError(err)
	}
	a.setMembers(members)
	return a, nil
}

// A sizedReader is a reader of size bytes. If its source ends earlier, ReadAt returns io.ErrUnexpectedEOF.
type sizedReader struct {
	io.ReaderAt
	size int64
}

func (s sizedReader) ReadAt(b []byte, off int64) (int, error) {
	n, err := s.ReaderAt.ReadAt(b, off)
	if err == io.EOF && off+int64(n) < s.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// A payload is the data of a member as stored in the archive. One of its fields is set.
type payload struct {
	b []byte            // in memory
	r *io.SectionReader // behind a reader
}

// data returns the payload of m.
func (a *Archive) data(m *member) (payload, error) {
	b, err := a.bytes()
	switch {
	case err != nil:
		return payload{}, err
	case a.r != nil:
		return payload{r: io.NewSectionReader(a.r, int64(m.Data), int64(m.Compressed))}, nil
	}
	return payload{b: b[m.Data : m.Data+m.Compressed : m.Data+m.Compressed]}, nil
}

// reader returns a reader of the whole payload.
func (d payload) reader() io.Reader {
	if d.r == nil {
		return bytes.NewReader(d.b)
	}
	return bufio.NewReaderSize(io.NewSectionReader(d.r, 0, d.r.Size()), 64<<10)
}

// readCRC returns the CRC-32 that the archive contains at offset at.
func (a *Archive) readCRC(at int) (uint32, error) {
	b, err := a.bytes()
	switch {
	case err != nil:
		return 0, err
	case a.r == nil:
		return readCRC(b, at), nil
	}
	var crc [4]byte
	if n, err := a.r.ReadAt(crc[:], int64(at)); n < len(crc) {
		return 0, err
	}
	return binary.LittleEndian.Uint32(crc[:]), nil
}

// dataError returns the error for compressed data of m that is damaged or cannot be read.
func (a *Archive) dataError(m *member, err error) error {
	if e, ok := errors.AsType[*zipfile.ReadError](err); ok {
		return a.readError(m, e.Err)
	}
	return a.errorf(m, "data", int64(m.Data), "%v: the archive is damaged", err)
}

// readError returns the error for data of m that cannot be read.
func (a *Archive) readError(m *member, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%w: %w", a.errorf(m, "data", int64(m.Data), "the archive ends before the end of the data"),
			io.ErrUnexpectedEOF)
	}
	return fmt.Errorf("%s: member %s: %w", errorPrefix(a.path), zipfile.Quote(m.Name), err)
}
