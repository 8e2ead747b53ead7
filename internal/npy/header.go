// Package npy reads and writes headers of .npy files, versions 1, 2 and 3 of the format:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
package npy

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/pylit"
)

// Magic is the string at the start of every .npy file.
const Magic = "\x93NUMPY"

// Align is the alignment of the data in new files: its offset is a multiple of Align. Files of older writers may have
// any offset.
const Align = 64

// Default limits for the length of a header in bytes. The length field of version 1 has 16 bits.
const (
	Limit1 = 64 << 10
	Limit2 = 1 << 20
)

// A Header describes the data of a .npy file.
type Header struct {
	Version    [2]uint8
	DType      dtype.DType
	Order      index.Order // C or F
	Shape      []int
	DataOffset int  // in bytes from the start of the file
	NBytes     int  // size of the data; DataOffset + NBytes does not overflow an int
	Assumed    bool // the file lacks the byte order of a number; the DType assumes the order of the machine
}

// An Error describes a file that violates the format. Offset is the position of the problem in bytes.
type Error struct {
	Part   string // the wrong part of the file: "header" or "data"; "" for a file of another kind
	Offset int64
	Msg    string

	Unknown bool  // the file starts with bytes of no known format
	Ended   error // io.EOF or io.ErrUnexpectedEOF, if a stream ended too early
}

func (e *Error) Error() string {
	if e.Part == "" {
		return e.Msg
	}
	return fmt.Sprintf("%s at byte %d: %s", e.Part, e.Offset, e.Msg)
}

func errorf(offset int, format string, args ...any) error {
	return &Error{Part: "header", Offset: int64(offset), Msg: fmt.Sprintf(format, args...)}
}

// Whole returns the number of positions of the growing axis that are complete in the first have bytes of the data,
// and a description of them for messages.
func (h *Header) Whole(have int64) (n int, words string) {
	axis := h.Axis()
	if axis < 0 || h.NBytes == 0 {
		return 0, ""
	}
	n = int(min(have, int64(h.NBytes)) / int64(h.NBytes/h.Shape[axis]))
	s := "s"
	if n == 1 {
		s = ""
	}
	if axis > 0 {
		return n, fmt.Sprintf("%d whole position%s of axis %d", n, s, axis)
	}
	return n, fmt.Sprintf("%d whole row%s", n, s)
}

// Within returns an error unless the data lies within a file of size bytes. As in NumPy, bytes after the data are not
// an error.
func (h *Header) Within(size int64) error {
	if have := size - int64(h.DataOffset); have < int64(h.NBytes) {
		return &Error{Part: "data", Offset: int64(h.DataOffset),
			Msg: fmt.Sprintf("the file holds %d bytes of data; shape %s of %s needs %d: it was truncated, or never written to its end",
				max(have, 0), pylit.AppendTuple(nil, h.Shape), clip(h.DType.String()), h.NBytes)}
	}
	return nil
}
