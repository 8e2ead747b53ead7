package npy

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/pylit"
)

// growthDigits is the number of digits that fit the growing axis in a new header, so that an array can grow without
// moving its data. It is the length of the largest 64-bit number plus one (GROWTH_AXIS_MAX_DIGITS in
// numpy/lib/format.py).
const growthDigits = 21

// New returns the header of a new array, with the offset and size of its data, and the bytes of the header as
// numpy.save would write them. An array with at most one axis longer than 1, or without elements, is contiguous in both
// orders, and is written in C order.
//
// For names with characters that are newer than the Unicode tables of Python or Go, the bytes may differ: the tables
// determine which characters are escaped. Readers accept both.
func New(d dtype.DType, order index.Order, shape []int) (Header, []byte, error) {
	elements, nbytes, err := index.Size(shape, d.ItemSize())
	if err != nil {
		return Header{}, nil, err
	}
	h := Header{DType: d, Shape: slices.Clone(shape), NBytes: nbytes}
	long := 0
	for _, n := range shape {
		if n > 1 {
			long++
		}
	}
	if order == index.F && long > 1 && elements > 0 {
		h.Order = index.F
	}
	b, err := h.encode()
	if err != nil {
		return Header{}, nil, err
	}
	h.DataOffset = len(b)
	if nbytes > math.MaxInt-len(b) {
		return Header{}, nil, fmt.Errorf("shape %s of %s ends past the largest file offset", pylit.AppendTuple(nil, shape),
			clip(d.String()))
	}
	return h, b, nil
}

// encode returns the bytes of h in the lowest version that can hold them, and sets the version.
func (h *Header) encode() ([]byte, error) {
	if h.DType.Kind() == dtype.KindSubarray {
		return nil, fmt.Errorf("dtype: %v is a sub-array; want its base as dtype and its shape as last dimensions", h.DType)
	}
	text, err := h.text()
	if err != nil {
		return nil, err
	}
	// Like NumPy, try version 1 and then 2 in Latin-1, and then 3 in UTF-8.
	h.Version = [2]uint8{3, 0}
	if latin, ok := latin1(text); ok {
		text = latin
		h.Version[0] = 2
		if paddedLength(1, len(text)) <= math.MaxUint16 {
			h.Version[0] = 1
		}
	}
	length := paddedLength(h.Version[0], len(text))
	b := make([]byte, 0, PrefixLen+length)
	b = append(append(b, Magic...), h.Version[:]...)
	if h.Version[0] == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(length))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(length))
	}
	b = appendSpaces(append(b, text...), length-len(text)-1)
	return append(b, '\n'), nil
}

// text returns the dict, with spaces for the growth of an axis: the last one in Fortran order, otherwise the first.
func (h *Header) text() ([]byte, error) {
	descr, err := h.DType.Descr()
	if err != nil {
		return nil, err
	}
	order, grows := "False", 0
	if h.Order == index.F {
		order, grows = "True", len(h.Shape)-1
	}
	b := make([]byte, 0, len(descr)+128)
	b = append(append(b, "{'descr': "...), descr...)
	b = append(append(b, ", 'fortran_order': "...), order...)
	b = append(pylit.AppendTuple(append(b, ", 'shape': "...), h.Shape), ", }"...)
	if len(h.Shape) > 0 {
		b = appendSpaces(b, growthDigits-len(strconv.Itoa(h.Shape[grows])))
	}
	return b, nil
}

func appendSpaces(b []byte, n int) []byte {
	for range n {
		b = append(b, ' ')
	}
	return b
}

// paddedLength returns the value of the length field for a header with n bytes of text. With spaces and a newline,
// the header ends at a multiple of [Align]. As in NumPy there are 1 to Align spaces.
func paddedLength(version uint8, n int) int {
	prefix := PrefixLen
	if version == 1 {
		prefix -= 2
	}
	n++ // the newline
	return n + Align - (prefix+n)%Align
}

// latin1 converts UTF-8 text to Latin-1. It returns false if a character is not in Latin-1.
func latin1(text []byte) ([]byte, bool) {
	out := make([]byte, 0, len(text))
	for _, r := range string(text) {
		if r > 0xFF {
			return nil, false
		}
		out = append(out, byte(r))
	}
	return out, true
}
