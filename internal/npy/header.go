// Package npy reads and writes the header of a .npy file, versions 1, 2 and 3
// of the format:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html.
package npy

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/pylit"
)

// Magic is what every .npy file starts with.
const Magic = "\x93NUMPY"

// Align is what the offset of the data is a multiple of in files that are
// written now. Files of older writers have any offset.
const Align = 64

// Default limits for the length of a header in bytes. Version 1 cannot say
// more than 65535.
const (
	Limit1 = 64 << 10
	Limit2 = 1 << 20
)

// A Header is what a .npy file says of its data.
type Header struct {
	Version    [2]uint8
	DType      dtype.DType
	Order      index.Order // C or F
	Shape      []int
	DataOffset int  // in bytes from the start of the file
	NBytes     int  // of the data; with DataOffset it does not overflow an int
	Assumed    bool // a number has no byte order in the file, and has that of the machine
}

// An Error is a file that is not as the format says. Offset is the place in the
// file, in bytes.
type Error struct {
	Part   string // what of the file is wrong: "header" or "data"; "" for a file of another kind
	Offset int64
	Msg    string

	Unknown bool // the file starts with bytes of no known format
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

// Whole returns how many whole positions of the growing axis the first have bytes of the data are, and says so in
// words.
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

// Within checks that the data lies in a file of size bytes. More bytes than the
// shape needs are no error, as in NumPy.
func (h *Header) Within(size int64) error {
	if have := size - int64(h.DataOffset); have < int64(h.NBytes) {
		return &Error{Part: "data", Offset: int64(h.DataOffset),
			Msg: fmt.Sprintf("the file holds %d bytes of data; shape %s of %s needs %d: it was truncated, or never written to its end",
				max(have, 0), pylit.AppendTuple(nil, h.Shape), clip(h.DType.String()), h.NBytes)}
	}
	return nil
}
