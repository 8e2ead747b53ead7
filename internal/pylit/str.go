package pylit

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// str parses one string, or several adjacent strings ('a' "b" is 'ab').
func (p *parser) str() error {
	start := p.pos
	kind, plain, end := Invalid, true, 0
	for n := 0; ; n++ {
		lit, err := p.quoted()
		if err != nil {
			return err
		}
		k := Str
		if lit.bytes {
			k = Bytes
		}
		if kind != Invalid && k != kind {
			return p.errorf(start, "cannot join strings and bytes")
		}
		kind = k
		body := p.src[lit.from:lit.to]
		plain = plain && n == 0 && (lit.raw || strings.IndexByte(body, '\\') < 0) && strings.IndexByte(body, '\r') < 0 &&
			(p.cfg.Encoding == UTF8 || isASCII(body))
		if err := p.check(lit); err != nil {
			return err
		}
		end = p.pos
		p.skipSpace()
		w := p.word()
		if q := p.byteAt(p.pos + len(w)); len(w) > 2 || q != '\'' && q != '"' {
			break
		}
	}
	p.pos = end
	p.leaf(kind, start)
	p.nodes[len(p.nodes)-1].plain = plain
	return nil
}

// A literal is one quoted string: the range of the text between the quotes, and its prefix.
type literal struct {
	from, to   int
	raw, bytes bool
}

// quoted skips one string with its prefix and quotes.
func (p *parser) quoted() (lit literal, err error) {
	start := p.pos
	prefix := p.word()
	switch strings.ToLower(prefix) {
	case "", "u":
	case "r":
		lit.raw = true
	case "b":
		lit.bytes = true
	case "br", "rb":
		lit.raw, lit.bytes = true, true
	default:
		return lit, p.errorf(start, "a string with the prefix %s is not a literal", prefix)
	}
	p.pos += len(prefix)
	q := p.src[p.pos : p.pos+1]
	triple := strings.HasPrefix(p.src[p.pos:], q+q+q)
	if triple {
		q += q + q
	}
	p.pos += len(q)
	lit.from = p.pos
	for {
		if p.pos >= len(p.src) || !triple && (p.src[p.pos] == '\n' || p.src[p.pos] == '\r') {
			return lit, p.errorf(start, "unterminated string")
		}
		if strings.HasPrefix(p.src[p.pos:], q) {
			lit.to = p.pos
			p.pos += len(q)
			return lit, nil
		}
		if p.src[p.pos] == '\\' {
			p.pos++ // the next character does not end the string, not even in a raw string
			if p.byteAt(p.pos) == '\r' && p.byteAt(p.pos+1) == '\n' {
				p.pos++
			}
		}
		p.pos++
	}
}

// check returns an error if decode cannot decode lit.
func (p *parser) check(lit literal) error {
	body := p.src[lit.from:lit.to]
	if lit.bytes && !isASCII(body) {
		return p.errorf(lit.from, "a bytes literal may contain only ASCII characters")
	}
	if lit.raw {
		return nil
	}
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		i++
		n := 0
		switch {
		case body[i] == 'x':
			n = 2
		case body[i] == 'u' && !lit.bytes:
			n = 4
		case body[i] == 'U' && !lit.bytes:
			n = 8
		case body[i] == 'N' && !lit.bytes:
			return p.errorf(lit.from+i-1, `escapes by name (\N{…}) are not supported`)
		}
		if n == 0 {
			continue
		}
		if len(body)-i-1 < n {
			return p.errorf(lit.from+i-1, "truncated escape")
		}
		u, err := strconv.ParseUint(body[i+1:i+1+n], 16, 32)
		if err != nil || !utf8.ValidRune(rune(u)) || u > unicode.MaxRune {
			return p.errorf(lit.from+i-1, "invalid escape %s", excerpt(body[i-1:i+1+n], p.cfg.Encoding))
		}
		i += n
	}
	return nil
}

// Str returns the value of a [Str] in UTF-8. It shares the memory of the text if nothing had to be decoded.
func (v Value) Str() string {
	p := parser{tree: v.t, pos: v.Pos(), depth: 1}
	if v.node().plain {
		lit, _ := p.quoted()
		return v.t.src[lit.from:lit.to]
	}
	var b strings.Builder
	for p.pos < int(v.node().end) {
		lit, _ := p.quoted()
		decode(&b, p.src[lit.from:lit.to], lit.raw, p.cfg.Encoding)
		p.skipSpace()
	}
	return b.String()
}

// decode appends the value of a string to b. s is the text between the quotes.
func decode(b *strings.Builder, s string, raw bool, enc Encoding) {
	for i := 0; i < len(s); {
		c := s[i]
		i++
		switch {
		case c == '\r': // Python reads every line end as \n
			if i < len(s) && s[i] == '\n' {
				i++
			}
			b.WriteByte('\n')
		case c != '\\' || raw:
			if enc == Latin1 {
				b.WriteRune(rune(c))
			} else {
				b.WriteByte(c)
			}
		default:
			i += escape(b, s[i:])
		}
	}
}

// escape appends the value of an escape sequence to b. s is the text after the backslash. It returns the number of
// bytes of s in the sequence.
func escape(b *strings.Builder, s string) int {
	const plain, meant = "abfnrtv\\'\"", "\a\b\f\n\r\t\v\\'\""
	if i := strings.IndexByte(plain, s[0]); i >= 0 {
		b.WriteByte(meant[i])
		return 1
	}
	hex := func(n int) int {
		u, _ := strconv.ParseUint(s[1:1+n], 16, 32)
		b.WriteRune(rune(u))
		return 1 + n
	}
	switch c := s[0]; {
	case c == '\n':
		return 1
	case c == '\r':
		if len(s) > 1 && s[1] == '\n' {
			return 2
		}
		return 1
	case c == 'x':
		return hex(2)
	case c == 'u':
		return hex(4)
	case c == 'U':
		return hex(8)
	case '0' <= c && c <= '7':
		n, r := 0, rune(0)
		for n < 3 && n < len(s) && '0' <= s[n] && s[n] <= '7' {
			r = r*8 + rune(s[n]-'0')
			n++
		}
		b.WriteRune(r)
		return n
	}
	b.WriteByte('\\') // Python keeps the backslash of an unknown escape
	return 0
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// AppendTuple appends s as Python writes a tuple or a shape: (), (3,), (2, 3).
func AppendTuple(dst []byte, s []int) []byte {
	dst = append(dst, '(')
	for i, n := range s {
		if i > 0 {
			dst = append(dst, ", "...)
		}
		dst = strconv.AppendInt(dst, int64(n), 10)
	}
	if len(s) == 1 {
		dst = append(dst, ',')
	}
	return append(dst, ')')
}

// AppendQuote appends s, which must be UTF-8, as Python's repr writes it.
func AppendQuote(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	q := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		q = '"'
	}
	dst = append(dst, q)
	for _, r := range s {
		switch {
		case r == rune(q) || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r == '\n':
			dst = append(dst, `\n`...)
		case r == '\r':
			dst = append(dst, `\r`...)
		case r == '\t':
			dst = append(dst, `\t`...)
		case unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		default:
			form, n := byte('x'), 2
			if r > 0xFFFF {
				form, n = 'U', 8
			} else if r > 0xFF {
				form, n = 'u', 4
			}
			dst = append(dst, '\\', form)
			for n--; n >= 0; n-- {
				dst = append(dst, digits[r>>(4*n)&15])
			}
		}
	}
	return append(dst, q)
}
