package pylit

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Parse parses src, which must be one literal, with optional white space and comments around it. The error is an
// [*Error].
//
// Parse refuses some texts that ast.literal_eval accepts:
//
//   - an empty set as set(), and the ellipsis
//   - a sign before parentheses, and sums (the complex 1+2j)
//   - a tuple without parentheses
//   - escapes by name (\N{DIGIT ONE}), and surrogates in strings
//   - outside of brackets: continued lines, form feeds on lines of their own, and line ends that are a single carriage
//     return
func Parse(src string, cfg Config) (Value, error) {
	p := parser{tree: &tree{src: src, cfg: cfg}}
	if int64(len(src)) > maxText {
		return Value{}, &Error{0, fmt.Sprintf("the text has %d bytes, more than %d", len(src), maxText)}
	}
	if i := strings.IndexByte(src, 0); i >= 0 {
		return Value{}, &Error{i, "a NUL byte"}
	}
	if cfg.Encoding == UTF8 && !utf8.ValidString(src) {
		return Value{}, &Error{invalidAt(src), "a byte that is not UTF-8"}
	}
	p.nodes = p.few[:0]
	if err := p.skipIndent(); err != nil {
		return Value{}, err
	}
	if err := p.value(); err != nil {
		return Value{}, err
	}
	end := p.pos
	switch line := p.skipLines(); {
	case p.pos < len(src):
		return Value{}, p.errorf(p.pos, "%s after the end of the value", p.currentChar())
	case end < line && line < p.pos && !cfg.Filter && strings.IndexByte(src[line:], '#') < 0:
		// Python's tokenizer treats it as an indented line; NumPy's filter removes it.
		return Value{}, p.errorf(line, "the last line is white space without a line end")
	}
	return p.tree.at(0), nil
}

const maxText = 1<<31 - 1

func invalidAt(s string) int {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}

type parser struct {
	*tree
	pos   int
	depth int
}

func (p *parser) errorf(pos int, format string, args ...any) error {
	return &Error{pos, fmt.Sprintf(format, args...)}
}

// currentChar describes the character at the current position for messages.
func (p *parser) currentChar() string { return p.charAt(p.pos) }

func (p *parser) charAt(pos int) string {
	if pos >= len(p.src) {
		return "the end"
	}
	if p.cfg.Encoding == Latin1 {
		return fmt.Sprintf("%q", rune(p.src[pos]))
	}
	r, _ := utf8.DecodeRuneInString(p.src[pos:])
	return fmt.Sprintf("%q", r)
}

// peek returns the byte at the current position, or 0 at the end. A text contains no NUL.
func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// skipSpace skips white space and comments. Inside brackets it also skips line ends and continued lines; outside, a
// line end ends the value.
func (p *parser) skipSpace() {
	for {
		switch c := p.peek(); {
		case c == ' ' || c == '\t' || c == '\f':
			p.pos++
		case c == '#':
			if i := strings.IndexAny(p.src[p.pos:], "\r\n"); i >= 0 {
				p.pos += i
			} else {
				p.pos = len(p.src)
			}
		case c == '\n' || c == '\r':
			if p.depth == 0 {
				return
			}
			p.pos++
		case c == '\\' && p.depth > 0:
			if next := p.byteAt(p.pos + 1); next != '\n' && next != '\r' {
				return
			}
			p.pos += 2 // the next iteration skips the \n of \r\n
		default:
			return
		}
	}
}

// skipLines skips white space, comments and line ends. It returns the start of the line of the new position.
func (p *parser) skipLines() (start int) {
	start = p.pos
	for {
		p.skipSpace()
		if p.peek() == '\r' && p.byteAt(p.pos+1) == '\n' {
			p.pos++
		}
		if p.peek() != '\n' {
			return start
		}
		p.pos++
		start = p.pos
	}
}

// skipIndent skips the text that may precede the value: white space, which ast.literal_eval strips, and then whole
// lines. The line of the value must not be indented, as in Python.
func (p *parser) skipIndent() error {
	p.pos = len(p.src) - len(strings.TrimLeft(p.src, " \t"))
	if line := p.skipLines(); line < p.pos && p.pos < len(p.src) {
		return p.errorf(line, "%s before the value", p.charAt(line))
	}
	return nil
}

// value parses one value and appends its nodes.
func (p *parser) value() error {
	p.skipSpace()
	start := p.pos
	c := p.peek()
	switch {
	case c == '(':
		return p.sequence(group, ')')
	case c == '[':
		return p.sequence(List, ']')
	case c == '{':
		return p.sequence(Set, '}')
	case isDigit(c) || c == '+' || c == '-' || c == '.' && isDigit(p.byteAt(p.pos+1)):
		return p.number()
	case c == '\'' || c == '"':
		return p.str()
	case isLetter(c):
		w := p.word()
		if q := p.byteAt(p.pos + len(w)); len(w) <= 2 && (q == '\'' || q == '"') {
			return p.str()
		}
		p.pos += len(w)
		switch w {
		case "True", "False":
			p.leaf(Bool, start)
		case "None":
			p.leaf(None, start)
		default:
			return p.errorf(start, "the name %s is not a literal", excerpt(w, p.cfg.Encoding))
		}
		return nil
	}
	return p.errorf(start, "%s where a value should be", p.currentChar())
}

func (p *parser) leaf(k Kind, start int) {
	p.add(node{kind: k, pos: uint32(start), end: uint32(p.pos), next: uint32(len(p.nodes)) + 1})
}

// add appends a node. When the nodes need more room, it estimates how many nodes the rest of the text needs, because
// append alone would copy them many times.
func (p *parser) add(n node) {
	if len(p.nodes) == cap(p.nodes) {
		all := float64(len(p.nodes)) * float64(len(p.src)) / float64(p.pos+1)
		p.nodes = slices.Grow(p.nodes, max(16, int(all*1.1)-len(p.nodes)))
	}
	p.nodes = append(p.nodes, n)
}

// sequence parses a bracketed list of values. kind is the kind to start with: a group with a comma becomes a tuple, and
// a set with a colon after its first value becomes a dict.
func (p *parser) sequence(kind Kind, close byte) error {
	start := p.pos
	if p.depth++; p.depth > MaxDepth {
		return p.errorf(start, "brackets nested deeper than %d", MaxDepth)
	}
	self := len(p.nodes)
	p.add(node{kind: kind, pos: uint32(start)})
	p.pos++
	for n := 0; ; n++ {
		p.skipSpace()
		if p.peek() == close {
			if n == 0 && kind == group {
				kind = Tuple
			} else if n == 0 && kind == Set {
				kind = Dict
			}
			break
		}
		key := p.pos
		if err := p.value(); err != nil {
			return p.unclosedError(err, start, close)
		}
		p.skipSpace()
		if n == 0 && kind == Set && p.peek() == ':' {
			kind = Dict
		}
		if kind == Dict {
			if p.peek() != ':' {
				return p.unclosedError(p.errorf(p.pos, "%s where ':' should follow the key %s", p.currentChar(),
					excerpt(p.src[key:p.pos],
						p.cfg.Encoding)), start, close)
			}
			p.pos++
			if err := p.value(); err != nil {
				return p.unclosedError(err, start, close)
			}
			p.skipSpace()
		}
		if p.peek() == ',' {
			p.pos++
			if kind == group {
				kind = Tuple
			}
		} else if p.peek() != close {
			return p.unclosedError(p.errorf(p.pos, "%s where ',' or '%c' should be", p.currentChar(), close), start, close)
		} else {
			break
		}
	}
	p.pos++
	p.depth--
	s := &p.nodes[self]
	s.kind, s.end, s.next = kind, uint32(p.pos), uint32(len(p.nodes))
	return nil
}

// unclosedError replaces an error at the end of the text with its actual cause: the bracket at start is never closed.
func (p *parser) unclosedError(err error, start int, close byte) error {
	if p.pos >= len(p.src) && err.(*Error).Pos >= len(p.src) {
		return p.errorf(start, "'%c' is never closed by '%c'", p.src[start], close)
	}
	return err
}

func (p *parser) byteAt(i int) byte {
	if i < len(p.src) {
		return p.src[i]
	}
	return 0
}

// word returns the identifier at the current position.
func (p *parser) word() string {
	i := p.pos
	for i < len(p.src) && (isLetter(p.src[i]) || isDigit(p.src[i])) {
		i++
	}
	return p.src[p.pos:i]
}

func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
