package pylit

import (
	"strconv"
	"strings"
)

// number parses a number with at most one sign before it.
func (p *parser) number() error {
	start := p.pos
	if c := p.peek(); c == '+' || c == '-' {
		p.pos++
		p.space()
		if !isDigit(p.peek()) && p.peek() != '.' {
			return p.errorf(p.pos, "%s where a number should follow the sign", p.here())
		}
	}
	digits := p.pos
	kind := Int
	for p.pos < len(p.src) {
		c := p.src[p.pos]
		exponent := (c == '+' || c == '-') && p.src[p.pos-1]|0x20 == 'e' && !isHex(p.src[digits:p.pos])
		if !isDigit(c) && !isLetter(c) && c != '.' && !exponent {
			break
		}
		p.pos++
	}
	text := p.src[digits:p.pos]
	long := p.cfg.Long && strings.HasSuffix(text, "L")
	if long {
		text = text[:len(text)-1]
	}
	if !isInteger(text) {
		kind = Number
		body := strings.TrimRight(text, "jJ")
		if _, err := strconv.ParseFloat(strings.ReplaceAll(body, "_", ""), 64); len(text)-len(body) > 1 || isHex(body) ||
			err != nil && err.(*strconv.NumError).Err == strconv.ErrSyntax || badUnderscore(body) || long {
			return p.errorf(digits, "%q is no number", p.src[digits:p.pos])
		}
	}
	end := p.pos
	if p.cfg.Long && kind == Int && !long { // "10 L" too: NumPy filters the tokens of Python 2's headers
		p.space()
		if p.word() == "L" {
			p.pos++
			end = p.pos
		}
	}
	p.leaf(kind, start)
	p.nodes[len(p.nodes)-1].end = uint32(end)
	return nil
}

func isHex(s string) bool { return len(s) > 1 && s[0] == '0' && s[1]|0x20 == 'x' }

// badUnderscore reports an underscore that does not stand between two digits.
func badUnderscore(s string) bool {
	for i := range len(s) {
		if s[i] == '_' && (i == 0 || i == len(s)-1 || !isAlnum(s[i-1]) || !isAlnum(s[i+1])) {
			return true
		}
	}
	return false
}

func isAlnum(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }

// isInteger reports whether s is an integer literal of Python: 0, 00, 10,
// 1_000, 0x1F, 0o17, 0b1; no leading zeros, underscores between digits only.
func isInteger(s string) bool {
	base, digits := radix(s)
	if digits == "" || badUnderscore(digits) && !(base != 10 && strings.HasPrefix(digits, "_") && !badUnderscore(digits[1:])) {
		return false
	}
	zeros := true
	for i := range len(digits) {
		d := digits[i]
		switch {
		case d == '_':
			continue
		case isDigit(d) && int(d-'0') < base:
		case base == 16 && 'a' <= d|0x20 && d|0x20 <= 'f':
		default:
			return false
		}
		zeros = zeros && d == '0'
	}
	return base != 10 || digits[0] != '0' || zeros
}

// radix splits an integer literal into its base and its digits.
func radix(s string) (base int, digits string) {
	if len(s) > 1 && s[0] == '0' {
		switch s[1] | 0x20 {
		case 'x':
			return 16, s[2:]
		case 'o':
			return 8, s[2:]
		case 'b':
			return 2, s[2:]
		}
	}
	return 10, s
}

// Int is the value of an [Int]. ok is false where it does not fit an int.
func (v Value) Int() (n int, ok bool) {
	s := v.Text()
	neg := s[0] == '-'
	if i := strings.IndexAny(s, "0123456789"); i >= 0 {
		s = s[i:] // after the sign, and what may stand behind it
	}
	if i := strings.IndexAny(s, "L \t\n\r\f\\#"); i >= 0 {
		s = s[:i]
	}
	base, digits := radix(s)
	if strings.IndexByte(digits, '_') >= 0 {
		digits = strings.ReplaceAll(digits, "_", "")
	}
	u, err := strconv.ParseUint(digits, base, strconv.IntSize)
	const max = 1<<(strconv.IntSize-1) - 1
	switch {
	case err != nil, !neg && u > max, neg && u > max+1:
		return 0, false
	case neg:
		return int(-u), true
	}
	return int(u), true
}
