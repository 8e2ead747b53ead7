package mmap

import (
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/ndmap/ndmap/internal/stable"
)

// ReadAt copies mapped bytes to b, starting at byte off. It implements [io.ReaderAt], so that
//
//	http.ServeContent(w, req, "t.npy", modified, io.NewSectionReader(m, 0, int64(m.Len())))
//
// serves m.
//
// If ReadAt copies fewer than len(b) bytes, the error is [io.EOF] at the end of the mapping, or a
// *[FaultError] if a byte cannot be read, for example because the file was truncated. The bytes
// before the page of that byte have then been copied. For a closed Map and a negative off the error
// is a *[fs.PathError]. Close waits for ReadAt to return.
func (m *Map) ReadAt(b []byte, off int64) (n int, err error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	switch {
	case m.data == nil:
		return 0, m.pathError("read", fs.ErrClosed)
	case off < 0:
		return 0, m.pathError("read", fmt.Errorf("%w: negative offset %d", fs.ErrInvalid, off))
	case off >= int64(len(m.data)):
		return 0, io.EOF
	}
	src := m.data[off:]
	if err := Guard(func() error { n = copy(b, src); return nil }); err != nil {
		return copyPages(b, src, int(off)%os.Getpagesize())
	}
	if n < len(b) {
		err = io.EOF
	}
	return n, err
}

// copyPages copies src to b page by page, up to the first byte that cannot be read. at is the
// offset of src within its page.
func copyPages(b, src []byte, at int) (n int, err error) {
	for n < min(len(b), len(src)) && err == nil {
		k := 0
		page := src[n:min(len(src), n+os.Getpagesize()-at)]
		err = Guard(func() error { k = copy(b[n:], page); return nil })
		n += k
		at = 0
	}
	if err == nil && n < len(b) {
		err = io.EOF
	}
	return n, err
}

// writeBytes is the maximum number of bytes in one Write of WriteTo.
const writeBytes = 1 << 20

// WriteTo writes the mapped bytes to w, without a copy. It implements [io.WriterTo].
//
// The error is a *[FaultError] if a byte cannot be read, by w or by the system on its behalf, a
// *[fs.PathError] if m is closed, and otherwise the error of w. w must not close m.
func (m *Map) WriteTo(w io.Writer) (n int64, err error) {
	data := m.Bytes()
	if data == nil {
		return 0, m.pathError("write", fs.ErrClosed)
	}
	for len(data) > 0 && err == nil {
		part := data[:min(len(data), writeBytes)]
		k := 0
		err = Guard(func() error { return stable.Write(w, part, &k) })
		n += int64(k)
		data = data[k:]
	}
	return n, err
}
