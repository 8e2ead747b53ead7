package npz

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// A Header describes the array of a member, as recorded in its header.
type Header struct {
	Major, Minor int // version of the .npy format
	DType        dtype.DType
	Order        index.Order // C or F
	Shape        []int
	DataOffset   int64 // offset of the first element in the file; -1 if the member is compressed
}

// Header returns the header of the named member. Unlike [Archive.Array], it accepts compressed members in every mode,
// and members of Python objects: the dtype of the Header then reports true for [dtype.DType.HasObject]. The other
// errors are the errors of Array. If the member is compressed, Header inflates only its header.
func (a *Archive) Header(name string) (Header, error) {
	m, err := a.find(name)
	if err != nil {
		return Header{}, err
	}
	var h npy.Header
	err = mmap.Guard(func() error {
		data, err := a.data(m)
		if err == nil {
			err = a.checkReadable(m)
		}
		if err == nil {
			h, err = a.header(m, data, npy.ParseObjects)
		}
		return err
	})
	if err != nil {
		return Header{}, err
	}
	at := int64(-1)
	if m.Method == zipfile.Stored {
		at = int64(m.Data + h.DataOffset)
	}
	return Header{int(h.Version[0]), int(h.Version[1]), h.DType, h.Order, h.Shape, at}, nil
}

// header reads the header of m once, into private memory, and parses it with parse.
func (a *Archive) header(m *member, data payload, parse func([]byte, int) (npy.Header, error)) (npy.Header, error) {
	const guess = 256 // headers of numeric arrays have 128 bytes
	head, err := a.head(m, data, guess)
	if err != nil {
		return npy.Header{}, err
	}
	if _, _, end, err := npy.Span(head, a.MaxHeader); err == nil && end > len(head) && int64(end) <= m.Size {
		if head, err = a.head(m, data, end); err != nil { // Span has checked end against MaxHeader
			return npy.Header{}, err
		}
	}
	if !strings.HasPrefix(string(head), npy.Magic) {
		return npy.Header{}, fmt.Errorf("%s: member %s is %w: it starts with %q", errorPrefix(a.path), zipfile.Quote(m.Name),
			ErrNotArray, head[:min(len(head), 6)])
	}
	h, err := parse(head, a.MaxHeader)
	if err == nil {
		err = h.Within(m.Size)
	}
	e, ok := errors.AsType[*npy.Error](err)
	switch {
	case !ok:
		return h, err
	case m.Method == zipfile.Stored:
		return h, a.errorf(m, e.Part, int64(m.Data)+e.Offset, "%s", e.Msg)
	}
	return h, a.errorf(m, "inflated "+e.Part, e.Offset, "%s", e.Msg) // the offset is relative to the content
}

// head returns a copy of the first n bytes of the content of m, or of the whole content if it is shorter.
func (a *Archive) head(m *member, data payload, n int) ([]byte, error) {
	head := make([]byte, min(int64(n), m.Size))
	if m.Method == zipfile.Stored {
		if _, err := io.ReadFull(data.reader(), head); err != nil {
			return nil, a.readError(m, err)
		}
		return head, nil
	}
	n, err := zipfile.InflateHead(head, data.reader())
	if err != nil {
		return nil, a.dataError(m, err)
	}
	return head[:n], nil
}
