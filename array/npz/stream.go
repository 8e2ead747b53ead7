package npz

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/ndmap/ndmap/internal/readat"
	"github.com/ndmap/ndmap/internal/zipfile"
)

// NewReader opens the archive of size bytes that r reads, such as a file of another file system, a section of a larger
// file, or a remote object that is read by ranges. The archive is read-only. [Archive.Array] reads a member into memory
// when it is first requested, checks its CRC, and keeps it until [Archive.Close] or [Archive.Release]. Close does not
// close r.
//
// The errors are the errors of r, and an *[array.FormatError] for malformed bytes.
//
// The errors name the archive if r has a method Name() string. NewReader reads the directory, usually in one or two
// requests. The local header of a member is read, and compared with the directory, when a method first uses the member.
func NewReader(r io.ReaderAt, size int64) (*Archive, error) {
	a := &Archive{path: readat.Name(r), r: readat.New(r, size)}
	s, err := zipfile.NewSource(a.r, size)
	var d zipfile.Directory
	if err == nil {
		d, err = zipfile.ReadDirectory(s)
	}
	if err != nil {
		return nil, a.sourceError(err)
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

// A payload is the data of a member as stored in the archive. Either b or r is set.
type payload struct {
	b    []byte            // in memory
	r    *io.SectionReader // behind a reader
	head []byte            // the first bytes of r, if they have been read
}

// data returns the payload of m. In an archive of NewReader, it first reads the local header of m, unless that has been
// done before.
func (a *Archive) data(m *member) (payload, error) {
	b, err := a.bytes()
	switch {
	case err != nil:
		return payload{}, err
	case a.r != nil:
		head, err := a.locate(m)
		if err != nil {
			return payload{}, err
		}
		return payload{r: io.NewSectionReader(a.r, int64(m.Data), int64(m.Compressed)), head: head}, nil
	}
	return payload{b: b[m.Data : m.Data+m.Compressed : m.Data+m.Compressed]}, nil
}

// headBytes is the maximum number of bytes of data that are read with a local header. Most headers of .npy files are
// shorter.
const headBytes = 1 << 10

// locate reads the local header of m and returns the first bytes of the data, which usually take no further request.
// Another call returns nil.
func (a *Archive) locate(m *member) (head []byte, err error) {
	m.locating.Lock()
	defer m.locating.Unlock()
	if m.located {
		return nil, nil
	}
	s, err := zipfile.NewSource(a.r, a.r.Size())
	if err == nil {
		err = m.ReadLocal(s)
	}
	if err == nil {
		head, err = s.Bytes(m.Data, min(m.Compressed, headBytes))
	}
	if err != nil {
		return nil, a.sourceError(err)
	}
	m.located = true
	return head, nil
}

// reader returns a reader of the whole payload. Each of its reads is a request.
func (d payload) reader() io.Reader {
	if d.r == nil {
		return bytes.NewReader(d.b)
	}
	n := int64(len(d.head))
	return io.MultiReader(bytes.NewReader(d.head), io.NewSectionReader(d.r, n, d.r.Size()-n))
}

// buffered returns a reader of the whole payload for small reads.
func (d payload) buffered() io.Reader {
	if d.r == nil {
		return d.reader()
	}
	return bufio.NewReaderSize(d.reader(), int(min(d.r.Size(), 1<<20)))
}

// recordedCRC returns the CRC-32 of m in the directory. In a mapped archive, Sync changes it.
func (a *Archive) recordedCRC(m *member) (uint32, error) {
	if a.r != nil {
		return m.CRC, nil
	}
	return a.readCRC(m.CRCAt[0])
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

// sourceError returns an error of a zipfile.Source with the name of the archive.
func (a *Archive) sourceError(err error) error {
	if converted := a.formatError(err); converted != err {
		return converted
	}
	return fmt.Errorf("%s: %w", errorPrefix(a.path), err)
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
