package objects

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDigits is the maximum number of decimal digits of an integer. Python does not convert longer ones from or to text,
// either. maxIntBytes is the number of bytes of such an integer.
const (
	maxDigits   = 4300
	maxIntBytes = 1786
)

// advance moves the position by n bytes, which must not cross the end of a frame.
func (d *decoder) advance(n uint64) {
	switch {
	case n > math.MaxInt64-uint64(d.pos):
		d.failf("a length of %d bytes is too large", n)
	case d.pos < d.frame && n > uint64(d.frame-d.pos):
		d.failf("the opcode crosses the end of its frame at byte %d", d.frame)
	}
	d.pos += int64(n)
}

// startFrame reads the length of a frame, a group of opcodes that Python reads at once.
func (d *decoder) startFrame() {
	n := d.uint(8)
	if d.pos < d.frame {
		d.failf("a frame within a frame")
	}
	if n > uint64(math.MaxInt64-d.pos) {
		d.failf("a frame of %d bytes is too large", n)
	}
	d.frame = d.pos + int64(n)
}

// byte reads one byte.
func (d *decoder) byte() byte {
	c, err := d.r.ReadByte()
	if err != nil {
		d.failRead(err)
	}
	d.advance(1)
	return c
}

// small reads n bytes, up to 8, which are valid until the next read.
func (d *decoder) small(n int) []byte {
	b := d.buf[:n]
	d.fill(b)
	return b
}

// fill reads len(b) bytes into b.
func (d *decoder) fill(b []byte) {
	d.advance(uint64(len(b)))
	if n, err := io.ReadFull(d.r, b); err != nil {
		d.pos -= int64(len(b) - n)
		d.failRead(err)
	}
}

// uint reads a little-endian integer of n bytes.
func (d *decoder) uint(n int) uint64 {
	var b [8]byte
	copy(b[:], d.small(n))
	return binary.LittleEndian.Uint64(b[:])
}

// read reads n bytes. It allocates memory as the data arrives.
func (d *decoder) read(n uint64) []byte {
	d.spendBytes(n)
	b := []byte{}
	for more := uint64(64 << 10); uint64(len(b)) < n; more = uint64(len(b)) {
		more = min(more, n-uint64(len(b)))
		k := len(b)
		b = slices.Grow(b, int(more))[:k+int(more)]
		d.fill(b[k:])
	}
	return b
}

// text reads a string of n bytes of UTF-8.
func (d *decoder) text(n uint64) string {
	var s string
	if n <= uint64(len(d.buf)) {
		d.spendBytes(n)
		b := d.buf[:n]
		d.fill(b)
		s = string(b)
	} else {
		s = string(d.read(n))
	}
	if !utf8.ValidString(s) {
		d.failf("the text %s is not valid UTF-8", strconv.QuoteToGraphic(clip(s)))
	}
	return s
}

// latin1 decodes Latin-1. It returns ASCII unchanged.
func latin1(b []byte) string {
	if !slices.ContainsFunc(b, func(c byte) bool { return c >= utf8.RuneSelf }) {
		return string(b)
	}
	var s strings.Builder
	for _, c := range b {
		s.WriteRune(rune(c))
	}
	return s.String()
}

// line reads a line without its end.
func (d *decoder) line() []byte {
	var line []byte
	for {
		c := d.byte()
		if c == '\n' {
			return line
		}
		d.spendBytes(1)
		line = append(line, c)
	}
}

// long reads an integer of n bytes in two's complement.
func (d *decoder) long(n uint64) any {
	if n > maxIntBytes {
		d.failf("an integer of %d bytes is too large", n)
	}
	b := d.read(n)
	slices.Reverse(b)
	v := new(big.Int).SetBytes(b)
	if n > 0 && b[0] >= 0x80 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*n)))
	}
	return integer(v)
}

// integer returns v as an int64 if it fits.
func integer(v *big.Int) any {
	if v.IsInt64() {
		return v.Int64()
	}
	return v
}

// parseInt reads the argument of INT: an integer, or a bool as 00 or 01.
func (d *decoder) parseInt() any {
	b := d.line()
	switch string(b) {
	case "00":
		return false
	case "01":
		return true
	}
	return d.decimal(b)
}

// parseLong reads the argument of LONG: an integer with an optional L at its end.
func (d *decoder) parseLong() any { return d.decimal(bytes.TrimSuffix(d.line(), []byte("L"))) }

// decimal parses an integer.
func (d *decoder) decimal(b []byte) any {
	digits := bytes.TrimLeft(b, "+-")
	if len(b)-len(digits) <= 1 && 0 < len(digits) && len(digits) <= maxDigits && len(bytes.Trim(digits,
		"0123456789")) == 0 {
		v, _ := new(big.Int).SetString(string(b), 10)
		return integer(v)
	}
	panic(d.failure("%s is not an integer of at most %d digits", strconv.QuoteToGraphic(clip(string(b))), maxDigits))
}

// parseFloat reads the argument of FLOAT.
func (d *decoder) parseFloat() float64 {
	s := string(d.line())
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || strings.ContainsAny(s, "xX_") { // not syntax of Python
		d.failf("%s is not a float", strconv.QuoteToGraphic(clip(s)))
	}
	return x
}

// parseString reads the argument of STRING, a literal of Python 2 in quotes.
func (d *decoder) parseString() []byte {
	b := bytes.TrimRight(d.line(), " \t\r")
	n := len(b)
	if n < 2 || b[0] != b[n-1] || b[0] != '\'' && b[0] != '"' {
		d.failf("a string is not in quotes")
	}
	b = b[1 : n-1]
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		c := b[0]
		b = b[1:]
		if c != '\\' {
			out = append(out, c)
			continue
		}
		if len(b) == 0 {
			d.failf("a string ends inside an escape")
		}
		c, b = b[0], b[1:]
		switch i := strings.IndexByte(`abfnrtv\'"`, c); {
		case i >= 0:
			out = append(out, "\a\b\f\n\r\t\v\\'\""[i])
		case c == 'x':
			u, err := strconv.ParseUint(string(b[:min(2, len(b))]), 16, 8)
			if err != nil || len(b) < 2 {
				d.failf("a string has an invalid escape")
			}
			out, b = append(out, byte(u)), b[2:]
		case '0' <= c && c <= '7':
			n := int(c - '0')
			for k := 0; k < 2 && len(b) > 0 && '0' <= b[0] && b[0] <= '7'; k++ {
				n, b = n*8+int(b[0]-'0'), b[1:]
			}
			out = append(out, byte(n))
		default:
			out = append(out, '\\', c)
		}
	}
	return out
}

// parseUnicode reads the argument of UNICODE, which is Latin-1 with escapes \u and \U.
func (d *decoder) parseUnicode() string {
	b := d.line()
	var s strings.Builder
	high := rune(-1) // a surrogate that waits for its second half
	for len(b) > 0 {
		r, n := rune(b[0]), 1
		if r == '\\' && len(b) > 1 {
			r, n = d.escape(b)
		}
		switch {
		case high >= 0:
			if r = utf16.DecodeRune(high, r); r == utf8.RuneError {
				d.failf("the text contains a lone surrogate, which is not valid in UTF-8")
			}
			high = -1
			s.WriteRune(r)
		case 0xD800 <= r && r < 0xDC00:
			high = r
		case r < 0: // a backslash and the character after it
			s.WriteByte('\\')
			s.WriteRune(rune(b[1]))
		case !utf8.ValidRune(r):
			d.failf("the text contains a code point that is not valid in UTF-8")
		default:
			s.WriteRune(r)
		}
		b = b[n:]
	}
	if high >= 0 {
		d.failf("the text contains a lone surrogate, which is not valid in UTF-8")
	}
	return s.String()
}

// escape returns the rune of the escape at the start of b, and its number of bytes. For other characters after a
// backslash it returns -1 and 2.
func (d *decoder) escape(b []byte) (r rune, n int) {
	switch b[1] {
	case 'u':
		n = 6
	case 'U':
		n = 10
	default:
		return -1, 2
	}
	u, err := strconv.ParseUint(string(b[2:min(n, len(b))]), 16, 31)
	if err != nil || len(b) < n {
		d.failf("the text has an invalid escape")
	}
	return rune(u), n
}
