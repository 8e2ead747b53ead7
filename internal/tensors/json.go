package tensors

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// A parser reads the JSON of headers and indexes: objects, strings, and lists of integers. Its text is valid UTF-8. It
// accepts only the values that these need, and skips other values up to a fixed depth of nesting.
type parser struct {
	s     string
	i     int
	part  string // name of the text in messages
	start int64  // offset of the text in the file
}

// newParser returns a parser of text, which starts at offset start of a file. If text is not valid UTF-8, it returns an
// error.
func newParser(text, part string, start int64) (*parser, error) {
	p := &parser{s: text, part: part, start: start}
	if !utf8.ValidString(text) {
		at := 0
		for {
			r, n := utf8.DecodeRuneInString(text[at:])
			if r == utf8.RuneError && n <= 1 {
				return nil, p.errorf(at, "the %s is not UTF-8", part)
			}
			at += n
		}
	}
	return p, nil
}

func (p *parser) errorf(at int, format string, args ...any) error {
	return &Error{p.part, p.start + int64(at), fmt.Sprintf(format, args...)}
}

// skipSpace skips white space.
func (p *parser) skipSpace() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\n' || p.s[p.i] == '\t' || p.s[p.i] == '\r') {
		p.i++
	}
}

// nextChar returns the next character, quoted for messages.
func (p *parser) nextChar() string {
	if p.i >= len(p.s) {
		return "the end"
	}
	_, n := utf8.DecodeRuneInString(p.s[p.i:])
	return Quote(p.s[p.i : p.i+n])
}

// accept skips white space, and then c if it is the next character. It reports whether it skipped c.
func (p *parser) accept(c byte) bool {
	p.skipSpace()
	if p.i < len(p.s) && p.s[p.i] == c {
		p.i++
		return true
	}
	return false
}

// object reads an object. For each key it calls value with the key and its position; value reads the value.
func (p *parser) object(what string, value func(key string, at int) error) error {
	if !p.accept('{') {
		return p.errorf(p.i, "%s where an object of %s should be", p.nextChar(), what)
	}
	if p.accept('}') {
		return nil
	}
	for {
		p.skipSpace()
		at := p.i
		key, err := p.text("a key")
		if err != nil {
			return err
		}
		if !p.accept(':') {
			return p.errorf(p.i, "%s where ':' should be", p.nextChar())
		}
		if err := value(key, at); err != nil {
			return err
		}
		if p.accept('}') {
			return nil
		}
		if !p.accept(',') {
			return p.errorf(p.i, "%s where ',' or '}' should be", p.nextChar())
		}
	}
}

// list reads a list of nonnegative integers and calls add with each integer and its position.
func (p *parser) list(add func(n int64, at int) error) error {
	return p.elements("integers", func(at int) error {
		n, err := p.integer()
		if err == nil {
			err = add(n, at)
		}
		return err
	})
}

// elements reads a list. It calls value at each element with the position of the element; value reads the element.
func (p *parser) elements(what string, value func(at int) error) error {
	if !p.accept('[') {
		return p.errorf(p.i, "%s where a list of %s should be", p.nextChar(), what)
	}
	if p.accept(']') {
		return nil
	}
	for {
		p.skipSpace()
		if err := value(p.i); err != nil {
			return err
		}
		if p.accept(']') {
			return nil
		}
		if !p.accept(',') {
			return p.errorf(p.i, "%s where ',' or ']' should be", p.nextChar())
		}
	}
}

// integer reads an integer that consists of digits, without a sign, a point or leading zeros.
func (p *parser) integer() (int64, error) {
	at, n := p.i, int64(0)
	for ; p.i < len(p.s) && '0' <= p.s[p.i] && p.s[p.i] <= '9'; p.i++ {
		digit := int64(p.s[p.i] - '0')
		if n > (math.MaxInt64-digit)/10 {
			return 0, p.errorf(at, "a number overflows an int64")
		}
		n = 10*n + digit
	}
	switch {
	case p.i == at:
		return 0, p.errorf(at, "%s where a non-negative integer should be", p.nextChar())
	case p.s[at] == '0' && p.i > at+1:
		return 0, p.errorf(at, "an integer has leading zeros")
	case p.i < len(p.s) && strings.IndexByte(".eE", p.s[p.i]) >= 0:
		return 0, p.errorf(at, "a float where an integer should be")
	}
	return n, nil
}

// text reads a string. It returns a copy, so that keeping the result does not keep the whole header in memory.
func (p *parser) text(what string) (string, error) {
	if !p.accept('"') {
		return "", p.errorf(p.i, "%s where %s should be", p.nextChar(), what)
	}
	start := p.i
	for ; p.i < len(p.s); p.i++ {
		switch c := p.s[p.i]; {
		case c == '"':
			p.i++
			return strings.Clone(p.s[start : p.i-1]), nil
		case c == '\\':
			return p.escaped(start)
		case c < ' ':
			return "", p.errorf(p.i, "unescaped control character %s in a string", p.nextChar())
		}
	}
	return "", p.errorf(start-1, "unterminated string")
}

// escaped reads the rest of a string that starts at byte start. The next byte is a backslash.
func (p *parser) escaped(start int) (string, error) {
	var b strings.Builder
	b.WriteString(p.s[start:p.i])
	for p.i < len(p.s) {
		c := p.s[p.i]
		switch {
		case c == '"':
			p.i++
			return b.String(), nil
		case c < ' ':
			return "", p.errorf(p.i, "unescaped control character %s in a string", p.nextChar())
		case c != '\\':
			b.WriteByte(c)
			p.i++
			continue
		}
		at := p.i
		p.i += 2
		if p.i > len(p.s) {
			break
		}
		switch k := strings.IndexByte(`"\/bfnrt`, p.s[p.i-1]); {
		case k >= 0:
			b.WriteByte("\"\\/\b\f\n\r\t"[k])
		case p.s[p.i-1] == 'u':
			r, ok := p.hex()
			if ok && utf16.IsSurrogate(r) {
				second := rune(0)
				if ok = strings.HasPrefix(p.s[p.i:], `\u`); ok {
					p.i += 2
					second, ok = p.hex()
				}
				r = utf16.DecodeRune(r, second)
				ok = ok && r != utf8.RuneError
			}
			if !ok {
				return "", p.errorf(at, "an escape that is not a valid character")
			}
			b.WriteRune(r)
		default:
			return "", p.errorf(at, "unknown escape")
		}
	}
	return "", p.errorf(start-1, "unterminated string")
}

// hex reads four hexadecimal digits.
func (p *parser) hex() (r rune, ok bool) {
	if len(p.s)-p.i < 4 {
		return 0, false
	}
	for _, c := range []byte(p.s[p.i : p.i+4]) {
		k := strings.IndexByte("0123456789abcdef", c|0x20) // digits have this bit already
		if k < 0 || c < '0' {
			return 0, false
		}
		r = r<<4 | rune(k)
	}
	p.i += 4
	return r, true
}

// maxDepth is the maximum depth of nesting in a value that skip skips.
const maxDepth = 100

// skip skips a value of any type. depth is the number of objects and lists that contain it.
func (p *parser) skip(depth int) error {
	p.skipSpace()
	if depth > maxDepth {
		return p.errorf(p.i, "values are nested more than %d deep", maxDepth)
	}
	switch rest := p.s[p.i:]; {
	case strings.HasPrefix(rest, "{"):
		return p.uniqueObject("values", func(string, int) error { return p.skip(depth + 1) })
	case strings.HasPrefix(rest, "["):
		return p.elements("values", func(int) error { return p.skip(depth + 1) })
	case strings.HasPrefix(rest, `"`):
		_, err := p.text("a text")
		return err
	}
	for _, word := range []string{"null", "true", "false"} {
		if p.acceptWord(word) {
			return nil
		}
	}
	_, err := p.number("a value")
	return err
}

// acceptWord skips white space, and then word if the text continues with it. It reports whether it skipped word.
func (p *parser) acceptWord(word string) bool {
	p.skipSpace()
	if !strings.HasPrefix(p.s[p.i:], word) {
		return false
	}
	p.i += len(word)
	return true
}

// number reads a number of any form and returns its text.
func (p *parser) number(what string) (string, error) {
	p.skipSpace()
	rest := p.s[p.i:]
	n := len(rest) - len(strings.TrimLeft(rest, "+-.0123456789Ee"))
	if !json.Valid([]byte(rest[:n])) {
		return "", p.errorf(p.i, "%s where %s should be", p.nextChar(), what)
	}
	p.i += n
	return rest[:n], nil
}

// uniqueObject is like object, and returns an error for a duplicate key.
func (p *parser) uniqueObject(what string, value func(key string, at int) error) error {
	seen := map[string]bool{}
	return p.object(what, func(key string, at int) error {
		if seen[key] {
			return p.errorf(at, "duplicate key %s", Quote(key))
		}
		seen[key] = true
		return value(key, at)
	})
}
