package pylit

import (
	"strconv"
	"strings"
)

// number parses a number with an optional sign.
func (p *parser) number() error {
	start := p.pos
	if c := p.peek(); c == '+' || c == '-' {
		p.pos++
		p.skipSpace()
		if c := p.peek(); !isDigit(c) && c != '.' {
			return p.errorf(p.pos, "%s where a number should follow the sign", p.currentChar())
		}
	}
	from := p.pos
	kind, ok := p.unsigned()
	if c := p.peek(); !ok || isLetter(c) && !(c == 'L' && p.cfg.Filter) || isDigit(c) || c == '.' {
		for c := p.peek(); isLetter(c) || isDigit(c) || c == '.'; c = p.peek() {
			p.pos++
		}
		return p.errorf(from, "%s is not a number", excerpt(p.src[from:p.pos], p.cfg.Encoding))
	}
	p.leaf(kind, start)
	if kind == Int && p.cfg.Filter {
		p.skipLongSuffix()
	}
	return nil
}

// unsigned skips a number without a sign, as far as the text matches Python's grammar:
// https://docs.python.org/3/reference/lexical_analysis.html#numeric-literals.
func (p *parser) unsigned() (k Kind, ok bool) {
	if base := radix(p.src[p.pos:]); base != 10 {
		p.pos += 2
		if p.peek() == '_' {
			p.pos++
		}
		return Int, p.digits(base)
	}
	from := p.pos
	whole := p.digits(10)
	k, ok = Int, whole && (p.src[from] != '0' || strings.Trim(p.src[from:p.pos], "0_") == "")
	if p.peek() == '.' {
		p.pos++
		k, ok = Number, p.digits(10) || whole
	}
	if p.peek()|0x20 == 'e' {
		if p.pos++; p.peek() == '+' || p.peek() == '-' {
			p.pos++
		}
		k, ok, whole = Number, p.digits(10) && (ok || whole), false
	}
	if p.peek()|0x20 == 'j' {
		p.pos++
		k, ok = Number, ok || whole // 07j is a number, although 07 is not
	}
	return k, ok
}

// digits skips digits with single underscores between them, and reports whether there is at least one digit.
func (p *parser) digits(base int) bool {
	from := p.pos
	for i := p.pos; isDigitOf(p.byteAt(i), base); {
		i++
		p.pos = i
		if p.byteAt(i) == '_' {
			i++
		}
	}
	return p.pos > from
}

func isDigitOf(c byte, base int) bool {
	if base == 16 && 'a' <= c|0x20 && c|0x20 <= 'f' {
		return true
	}
	return isDigit(c) && int(c-'0') < base
}

// radix returns the base of the integer at the start of s, according to its prefix.
func radix(s string) int {
	if len(s) > 1 && s[0] == '0' {
		switch s[1] | 0x20 {
		case 'x':
			return 16
		case 'o':
			return 8
		case 'b':
			return 2
		}
	}
	return 10
}

// skipLongSuffix skips the L of Python 2's long integers and makes it part of the preceding integer. Like NumPy, it
// accepts any number of names L that follow an integer on the same line, after any number of spaces (_filter_header
// in
// numpy/lib/format.py).
func (p *parser) skipLongSuffix() {
	for i := p.pos; ; {
		switch c := p.byteAt(i); {
		case c == ' ' || c == '\t' || c == '\f':
			i++
		case c == '\\' && p.byteAt(i+1) == '\n':
			i += 2
		case c == '\\' && p.byteAt(i+1) == '\r' && p.byteAt(i+2) == '\n':
			i += 3
		case c == 'L' && !isNameByte(p.byteAt(i+1)):
			i++
			p.pos = i
			p.nodes[len(p.nodes)-1].end = uint32(i)
		default:
			return
		}
	}
}

// isNameByte reports whether c may be part of a name. The bytes of non-ASCII characters may.
func isNameByte(c byte) bool { return isLetter(c) || isDigit(c) || c >= 0x80 }

// Int returns the value of an [Int]. ok is false if it overflows int.
func (v Value) Int() (n int, ok bool) {
	p := parser{tree: v.t, pos: v.Pos(), depth: 1}
	sign := p.peek()
	if !isDigit(sign) {
		p.pos++
		p.skipSpace() // spaces and comments are allowed between the sign and the digits
	}
	base := radix(p.src[p.pos:])
	if base != 10 {
		p.pos += 2
	}
	var u uint
	for ; ; p.pos++ {
		c := p.peek()
		d := uint(c - '0')
		switch {
		case c == '_':
			continue
		case !isDigitOf(c, base):
			if sign == '-' {
				return int(-u), true
			}
			return int(u), true
		case c > '9':
			d = uint(c|0x20-'a') + 10
		}
		limit := uint(maxInt)
		if sign == '-' {
			limit++
		}
		if u > (limit-d)/uint(base) {
			return 0, false
		}
		u = u*uint(base) + d
	}
}

const maxInt = 1<<(strconv.IntSize-1) - 1
