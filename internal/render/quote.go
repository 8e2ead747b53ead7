package render

import (
	"fmt"
	"io"
	"strings"
	"unicode"

	"github.com/ndmap/ndmap/dtype"
)

// A writer is a strings.Builder or a bufio.Writer. Errors of a bufio.Writer appear when it is flushed.
type writer interface {
	io.Writer
	io.ByteWriter
	io.StringWriter
	WriteRune(r rune) (int, error)
}

// writtenText returns the text that write writes for an element.
func writtenText(write func(writer, dtype.DType, []byte), d dtype.DType, b []byte) string {
	var t strings.Builder
	write(&t, d, b)
	return t.String()
}

// quote writes an element of bytes or unicode like Python's repr: b'ab', 'ab'.
func quote(t writer, d dtype.DType, b []byte) {
	s := Points(d, b)
	q := byte('\'')
	for c := range s {
		if c == '"' {
			q = '\''
			break
		}
		if c == '\'' {
			q = '"'
		}
	}
	isBytes := d.Kind() == dtype.KindBytes
	if isBytes {
		t.WriteByte('b')
	}
	t.WriteByte(q)
	for c := range s {
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
			t.WriteString(`\x`)
			t.WriteByte(hexDigits[c>>4])
			t.WriteByte(hexDigits[c&15])
		case c < 0x10000:
			fmt.Fprintf(t, `\u%04x`, c)
		default:
			fmt.Fprintf(t, `\U%08x`, c)
		}
	}
	t.WriteByte(q)
}

const hexDigits, upperDigits = "0123456789abcdef", "0123456789ABCDEF"

// rawText writes void bytes like NumPy's str of them.
func rawText(t writer, _ dtype.DType, b []byte) {
	t.WriteString("b'")
	for _, c := range b {
		t.WriteString(`\x`)
		t.WriteByte(upperDigits[c>>4])
		t.WriteByte(upperDigits[c&15])
	}
	t.WriteByte('\'')
}

// plainText writes text without quotes or escapes.
func plainText(t writer, d dtype.DType, b []byte) {
	for c := range Points(d, b) {
		t.WriteRune(rune(c))
	}
}

// checkText returns an error if plainText cannot write the text.
func checkText(d dtype.DType, b []byte) error {
	for c := range Points(d, b) {
		if err := CheckPoint(c); err != nil {
			return err
		}
	}
	return nil
}
