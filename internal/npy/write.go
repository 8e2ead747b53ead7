package npy

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// growthDigits is how many digits the growing axis has room for, so that an
// array can be appended to without moving its data: that is the length of the
// largest 64-bit number plus one (GROWTH_AXIS_MAX_DIGITS in numpy/lib/format.py).
const growthDigits = 21

// New is the header of a new array, complete with offset and size of its data:
// what numpy.save would write, byte for byte. An array that is contiguous both
// ways (at most one axis longer than 1, or no elements) is written as C.
func New(d dtype.DType, order index.Order, shape []int) (Header, []byte, error) {
	h := Header{DType: d, Shape: shape}
	elements, nbytes, err := index.Size(shape, d.ItemSize())
	if err != nil {
		return Header{}, nil, err
	}
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
	h.DataOffset, h.NBytes = len(b), nbytes
	if nbytes > math.MaxInt-len(b) {
		return Header{}, nil, fmt.Errorf("shape %s of %v ends past the largest file offset", dtype.AppendShape(nil, shape), d)
	}
	return h, b, nil
}

// encode writes h as text with the lowest version that can hold it, and sets
// the version.
func (h *Header) encode() ([]byte, error) {
	descr, err := h.DType.Descr()
	if err != nil {
		return nil, err
	}
	if h.DType.Kind() == dtype.KindSubarray {
		return nil, fmt.Errorf("dtype: %v is a sub-array; want its base as dtype and its shape as last dimensions", h.DType)
	}
	order := "False"
	grows := 0
	if h.Order == index.F {
		order = "True"
		grows = len(h.Shape) - 1
	}
	text := fmt.Appendf(nil, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }", descr, order, dtype.AppendShape(nil, h.Shape))
	if len(h.Shape) > 0 {
		for range growthDigits - len(strconv.Itoa(h.Shape[grows])) {
			text = append(text, ' ')
		}
	}
	// NumPy tries version 1, then 2, in Latin-1; then 3, in UTF-8.
	h.Version = [2]uint8{3, 0}
	if latin, ok := latin1(text); ok {
		text = latin
		h.Version[0] = 2
		if padded(1, len(text)) <= math.MaxUint16 {
			h.Version[0] = 1
		}
	}
	length := padded(h.Version[0], len(text))
	b := append([]byte(Magic), h.Version[:]...)
	if h.Version[0] == 1 {
		b = binary.LittleEndian.AppendUint16(b, uint16(length))
	} else {
		b = binary.LittleEndian.AppendUint32(b, uint32(length))
	}
	b = append(b, text...)
	for range length - len(text) - 1 {
		b = append(b, ' ')
	}
	return append(b, '\n'), nil
}

// padded is what the length field says of a header with n bytes of text: with
// spaces and a newline it ends at a multiple of [Align]. As in NumPy there are 1
// to Align spaces, never none.
func padded(version uint8, n int) int {
	prefix := PrefixLen
	if version == 1 {
		prefix -= 2
	}
	n++ // the newline
	return n + Align - (prefix+n)%Align
}

// latin1 is UTF-8 text with one byte a character, where that can be.
func latin1(text []byte) ([]byte, bool) {
	out := text[:0:0]
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r > 0xFF || r == utf8.RuneError && n == 1 {
			return nil, false
		}
		out = append(out, byte(r))
		i += n
	}
	return out, true
}
