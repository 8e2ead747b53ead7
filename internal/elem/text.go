package elem

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/dtype"
)

// Text returns an element of bytes (S) or unicode (U) as a string, without the NULs at its end. Bytes are Latin-1. If a
// code point is not valid, Text replaces it by U+FFFD and returns an error.
func Text(d dtype.DType, b []byte) (string, error) {
	if d.Kind() == dtype.KindBytes {
		b = bytes.TrimRight(b, "\x00")
		for _, c := range b {
			if c >= utf8.RuneSelf {
				var s strings.Builder
				for _, c := range b {
					s.WriteRune(rune(c))
				}
				return s.String(), nil
			}
		}
		return string(b), nil
	}
	for len(b) >= 4 && binary.NativeEndian.Uint32(b[len(b)-4:]) == 0 {
		b = b[:len(b)-4]
	}
	var s strings.Builder
	var err error
	for ; len(b) >= 4; b = b[4:] {
		r := byteOrder(d).Uint32(b)
		if err == nil && (r > utf8.MaxRune || !utf8.ValidRune(rune(r))) {
			err = fmt.Errorf("%#x is not a Unicode code point", r)
		}
		if r > utf8.MaxRune {
			r = utf8.RuneError
		}
		s.WriteRune(rune(r))
	}
	return s.String(), err
}

// CheckText returns an error unless an element of dtype d can hold all of s.
func CheckText(d dtype.DType, s string) error {
	room, limit := d.ItemSize(), rune(0xFF)
	if d.Kind() == dtype.KindUnicode {
		room, limit = room/4, utf8.MaxRune
	}
	n := utf8.RuneCountInString(s)
	switch {
	case !utf8.ValidString(s):
		return fmt.Errorf("text %q is not UTF-8", s)
	case n > room:
		return fmt.Errorf("text %q has %d characters; dtype %v has room for %d", s, n, d, room)
	case strings.HasSuffix(s, "\x00"):
		return fmt.Errorf("text %q ends with a NUL, which would be lost: it is padding", s)
	}
	for _, r := range s {
		if r > limit {
			return fmt.Errorf("text %q has the character %q; dtype %v is Latin-1, up to U+00FF", s, r, d)
		}
	}
	return nil
}

// PutText stores s in the element b of dtype d, and fills the rest of b with NULs. CheckText must accept s.
func PutText(d dtype.DType, b []byte, s string) {
	clear(b)
	i := 0
	for _, r := range s {
		if d.Kind() == dtype.KindBytes {
			b[i] = byte(r)
			i++
		} else {
			byteOrder(d).PutUint32(b[i:], uint32(r))
			i += 4
		}
	}
}

// byteOrder returns the byte order of d.
func byteOrder(d dtype.DType) binary.ByteOrder {
	if d.ByteOrder() == dtype.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}
