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

// A Header is what the header of a member says of its array.
type Header struct {
	Major, Minor int // version of the .npy format
	DType        dtype.DType
	Order        index.Order // C or F
	Shape        []int
	DataOffset   int64 // of the first element in the file, in bytes; -1 if the member is compressed
}

// Header returns the header of the member that name stands for. Of a compressed one it
// inflates the header and nothing else, in whatever mode the archive is open. The errors are
// those of [Archive.Array], but a member of Python objects has a header, with a dtype for which [dtype.DType.HasObject]
// is true.
func (a *Archive) Header(name string) (Header, error) {
	m, err := a.find(name)
	if err != nil {
		return Header{}, err
	}
	var h npy.Header
	err = mmap.Guard(func() error {
		data, err := a.data(m)
		if err == nil {
			err = a.usable(m)
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

// header reads the header of m as parse says: once, into memory that nobody changes.
func (a *Archive) header(m *member, data payload, parse func([]byte, int) (npy.Header, error)) (npy.Header, error) {
	const most = 256 // those of numbers are of 128 bytes
	head, err := a.head(m, data, most)
	if err != nil {
		return npy.Header{}, err
	}
	if _, _, end, err := npy.Span(head, a.cfg.MaxHeader); err == nil && end > len(head) && int64(end) <= m.Size {
		if head, err = a.head(m, data, end); err != nil { // the limit for headers allows it
			return npy.Header{}, err
		}
	}
	if !strings.HasPrefix(string(head), npy.Magic) {
		return npy.Header{}, fmt.Errorf("%s: member %s is %w: it starts with %q", title(a.path), zipfile.Quote(m.Name),
			ErrNotArray, head[:min(len(head), 6)])
	}
	h, err := parse(head, a.cfg.MaxHeader)
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
	return h, a.errorf(m, "inflated "+e.Part, e.Offset, "%s", e.Msg) // in the content
}

// head returns a copy of the first n bytes of the content of m, or as many as there are.
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
