package tensors

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Align is the alignment of the data in a file whose header Append makes, in bytes.
const Align = 64

// Append appends the header of a file with the data of tensors in the given order, and sets Start and End of each
// tensor. Spaces at the end make the length of the header a multiple of [Align]. Append returns an error if the
// format cannot represent the header.
func Append(b []byte, tensors []Tensor, metadata map[string]string) ([]byte, error) {
	start := len(b)
	b = append(b, make([]byte, PrefixLen)...)
	b = append(b, '{')
	if metadata != nil {
		b = appendText(b, metadataKey)
		b = append(b, ":{"...)
		for i, key := range slices.Sorted(maps.Keys(metadata)) {
			if !utf8.ValidString(key) || !utf8.ValidString(metadata[key]) {
				return nil, fmt.Errorf("the key or the value of the metadata %s is not UTF-8", Quote(key))
			}
			if i > 0 {
				b = append(b, ',')
			}
			b = appendText(append(appendText(b, key), ':'), metadata[key])
		}
		b = append(b, '}')
	}
	names := make(map[string]bool, len(tensors))
	end := int64(0)
	for i := range tensors {
		t := &tensors[i]
		n, ok := Bytes(t.Code, t.Shape)
		switch {
		case !utf8.ValidString(t.Name):
			return nil, fmt.Errorf("the tensor name %s is not UTF-8", Quote(t.Name))
		case t.Name == metadataKey:
			return nil, fmt.Errorf("invalid tensor name %q: reserved for the metadata", t.Name)
		case names[t.Name]:
			return nil, fmt.Errorf("duplicate tensor name %s", Quote(t.Name))
		case !ok || n > math.MaxInt64-end-2*MaxHeader:
			return nil, fmt.Errorf("the end of the data of tensor %s overflows int64", Quote(t.Name))
		}
		names[t.Name] = true
		t.Start, t.End = end, end+n
		end = t.End
		if i > 0 || metadata != nil {
			b = append(b, ',')
		}
		b = append(appendText(b, t.Name), `:{"dtype":"`...)
		b = append(append(b, t.Code...), `","shape":[`...)
		for k, length := range t.Shape {
			if k > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, int64(length), 10)
		}
		b = append(b, `],"data_offsets":[`...)
		b = append(strconv.AppendInt(b, t.Start, 10), ',')
		b = append(strconv.AppendInt(b, t.End, 10), "]}"...)
		if len(b)-start > MaxHeader { // fail before the remaining tensors take memory
			break
		}
	}
	b = append(b, '}')
	for (len(b)-start)%Align != 0 {
		b = append(b, ' ')
	}
	n := len(b) - start - PrefixLen
	if n > MaxHeader {
		return nil, fmt.Errorf("the header has more than the %d bytes that the format allows", MaxHeader)
	}
	binary.LittleEndian.PutUint64(b[start:], uint64(n))
	return b, nil
}

// appendText appends a JSON string. s must be UTF-8.
func appendText(b []byte, s string) []byte {
	b = append(b, '"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c < ' ' || c == 0x7F:
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
