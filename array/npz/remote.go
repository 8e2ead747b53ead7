package npz

import (
	"errors"
	"fmt"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/internal/readat"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// Remote returns the array in a stored member for reading selections of it: see [array.Remote]. It reads the header of
// the member, and no elements. In an archive of [NewReader], opening the archive and the first Remote of a member
// usually take two or three requests together. A ReadAtContext method of the reader is used.
//
// The CRC of the member is not checked, because that would read all of it: see [Archive.Verify]. Offsets are from the
// start of the archive, and errors name the member like data.npz:w.npy. In a mapped archive, a Remote reads the current
// elements of the mapping, until Close. With NewReader, it is valid as long as the reader. Its Version is 0, 0: see
// [Archive.Header].
//
// For a compressed member, the error wraps [errors.ErrUnsupported]. Otherwise, Remote returns the errors of
// [Archive.Array].
func (a *Archive) Remote(name string) (*array.Remote, error) {
	m, err := a.find(name)
	if err == nil {
		err = a.checkReadable(m)
	}
	switch {
	case err != nil:
		return nil, err
	case m.Method != zipfile.Stored:
		return nil, fmt.Errorf("%s: member %s is compressed, and selections of it cannot be requested: %w; "+
			"use Archive.Array, or stream it: array.NewReader of Archive.Open", errorPrefix(a.path), zipfile.Quote(m.Name),
			errors.ErrUnsupported)
	}
	var h npy.Header
	err = mmap.Guard(func() error {
		data, err := a.data(m)
		if err == nil {
			h, err = a.header(m, data, npy.Parse)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	r := a.r
	if r == nil {
		b, err := a.bytes()
		if err != nil {
			return nil, err
		}
		r = readat.New(readat.Memory(b), int64(len(b)))
	}
	r = r.WithName(errorPrefix(a.path) + ":" + zipfile.Escape(m.Name))
	return array.OpenRawReaderAt(r, int64(m.Data)+m.Size, int64(m.Data+h.DataOffset), h.DType, h.Order, h.Shape...)
}
