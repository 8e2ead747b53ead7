package render

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/ndmap/ndmap/dtype"
)

// quote returns an element of bytes or unicode as Python's repr: b'ab', 'ab'.
func quote(d dtype.DType, b []byte) string {
	s := Points(d, b)
	q := byte('\'')
	for _, c := range s {
		if c == '"' {
			q = '\''
			break
		}
		if c == '\'' {
			q = '"'
		}
	}
	var t strings.Builder
	isBytes := d.Kind() == dtype.KindBytes
	if isBytes {
		t.WriteByte('b')
	}
	t.WriteByte(q)
	for _, c := range s {
		switch {
		case c == uint32(q) || c == '\\':
			t.WriteByte('\\')
			t.WriteByte(byte(c))
		case c == '\n':
			t.WriteString(`\n`)
		case c == '\r':
			t.WriteString(`\r`)
		case c == '\t':
			t.WriteString(`\t`)
		case c >= ' ' && c < 0x7f || !isBytes && c >= 0x7f && c <= 0x10FFFF && unicode.IsPrint(rune(c)):
			t.WriteRune(rune(c))
		case c < 0x100:
			fmt.Fprintf(&t, `\x%02x`, c)
		case c < 0x10000:
			fmt.Fprintf(&t, `\u%04x`, c)
		default:
			fmt.Fprintf(&t, `\U%08x`, c)
		}
	}
	t.WriteByte(q)
	return t.String()
}

// rawText returns bytes without meaning as NumPy's str of them.
func rawText(b []byte) string {
	var t strings.Builder
	t.WriteString("b'")
	for _, c := range b {
		fmt.Fprintf(&t, `\x%02X`, c)
	}
	t.WriteByte('\'')
	return t.String()
}

// plainText returns text as it is.
func plainText(s []uint32) (string, error) {
	var t strings.Builder
	for _, c := range s {
		if err := CheckPoint(c); err != nil {
			return "", err
		}
		t.WriteRune(rune(c))
	}
	return t.String(), nil
}
