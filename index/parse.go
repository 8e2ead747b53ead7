package index

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse returns the selection that s describes as NumPy's basic indexing writes it between the
// brackets, such as "1:10:2, ..., ::-1, None, -1".
//
// The text contains selectors with commas between them; a comma after the last one and brackets
// around the text are optional. Empty text is a selection without selectors. A selector is
//
//   - an integer or a slice
//   - "..." for an [Ellipsis]
//   - "None", "newaxis", "np.newaxis" or "numpy.newaxis" for a [NewAxis]
//
// Integers are decimal, as in Python: with an optional sign, with underscores between digits, and
// without leading zeros. A bound or step of None means the same as an omitted one. Bounds and steps
// beyond an int are clipped, as Python clips them.
//
// It is an error if
//
//   - an index is beyond an int
//   - the step of a slice is zero
//   - the text has two ellipses, or more than 129 selectors, the most that any array accepts: 64
//     for its axes, 64 for new axes, and "..."
//   - brackets contain only integers, or nothing: between NumPy's own brackets they are a list, and
//     a[[0, 1]] selects two rows
//
// Errors quote the text, or about 100 bytes of a long text, and give the position of the character
// that is not allowed, counted from 1.
func Parse(s string) (Selection, error) {
	p := parser{text: s}
	return p.selection()
}

// maxSelectors is the maximum number of selectors that an array accepts: one for each axis, one
// for each new axis, and "...".
const maxSelectors = 2*MaxDims + 1

// MustParse is like [Parse] but panics with its error. Use it for text that is known to be valid.
func MustParse(s string) Selection {
	sel, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return sel
}

// A parser reads text starting at pos. Its methods skip the space after the text that they read, so
// pos is always at the next token.
type parser struct {
	text    string
	pos     int
	bracket bool // a closing bracket must follow
}

func (p *parser) selection() (Selection, error) {
	p.space()
	start := p.pos
	p.bracket = p.accept("[")
	var sel Selection
	dots, list := false, p.bracket
	for !p.atEnd() {
		start := p.pos
		s, err := p.item()
		if err != nil {
			return nil, err
		}
		if s == Ellipsis && dots {
			return nil, p.fail(start, "more than one '...'")
		}
		if len(sel) == maxSelectors {
			return nil, p.fail(start, "more than "+itoa(maxSelectors)+" selectors")
		}
		dots = dots || s == Ellipsis
		list = list && s.kind == takeAt
		sel = append(sel, s)
		p.accept(",")
	}
	if p.bracket {
		p.accept("]")
		if p.pos < len(p.text) {
			return nil, p.want("nothing after ']'")
		}
	}
	if list {
		return nil, p.fail(start, "a list of indices; want them without brackets, for one of each axis, or a slice")
	}
	return sel, nil
}

// item reads one selector and checks the token after it.
func (p *parser) item() (Selector, error) {
	if p.accept("...") {
		return Ellipsis, p.checkEnd()
	}
	for _, name := range []string{"newaxis", "np.newaxis", "numpy.newaxis"} {
		if p.acceptName(name) {
			return NewAxis, p.checkEnd()
		}
	}
	start := p.pos
	lo, err := p.bound()
	switch {
	case err != nil:
		return Selector{}, err
	case p.peek(":"):
		return p.slice(lo)
	case lo.set && lo.clipped:
		return Selector{}, p.fail(start, "index out of range of int")
	case lo.set:
		return At(lo.value), p.checkEnd("':'")
	case p.pos > start: // None, which may also be a bound
		return NewAxis, p.checkEnd("':'")
	case p.bracket:
		return Selector{}, p.want("an integer", "':'", "'...'", "None", "']'")
	}
	return Selector{}, p.want("an integer", "':'", "'...'", "None")
}

// slice reads a slice, starting at its first colon; lo is its lower bound.
func (p *parser) slice(lo bound) (Selector, error) {
	p.accept(":")
	start := p.pos
	hi, err := p.bound()
	if err != nil {
		return Selector{}, err
	}
	s := Selector{kind: takeSlice, step: 1}
	if lo.set {
		s.kind, s.lo = s.kind|hasLo, lo.value
	}
	if hi.set {
		s.kind, s.hi = s.kind|hasHi, hi.value
	}
	if !p.peek(":") {
		if p.pos == start {
			return s.canonical(), p.checkEnd("an integer", "':'")
		}
		return s.canonical(), p.checkEnd("':'")
	}
	p.accept(":")
	start = p.pos
	step, err := p.bound()
	switch {
	case err != nil:
		return Selector{}, err
	case p.pos == start:
		return s.canonical(), p.checkEnd("an integer")
	case step.set && step.value == 0:
		return Selector{}, p.fail(start, "slice step is zero")
	case step.set:
		s.step = max(step.value, -math.MaxInt) // the selector that Every makes
	}
	return s.canonical(), p.checkEnd()
}

// A bound is one of the three integers of a slice.
type bound struct {
	value   int
	set     bool // the text has an integer
	clipped bool // the integer does not fit an int; value is the nearest int
}

// bound reads an integer or None. If the text continues with neither, it reads nothing.
func (p *parser) bound() (bound, error) {
	if p.acceptName("None") {
		return bound{}, nil
	}
	negative := p.peek("-")
	if p.accept("-") || p.accept("+") {
		if c := p.char(); c < '0' || c > '9' {
			return bound{}, p.want("a digit")
		}
	}
	digits := p.pos
	b := bound{}
	limit := uint(math.MaxInt)
	if negative {
		limit++
	}
	value := uint(0)
	for {
		c := p.char()
		if c < '0' || c > '9' {
			break
		}
		d := uint(c - '0')
		if b.clipped = b.clipped || value > (limit-d)/10; b.clipped {
			value = limit
		} else {
			value = 10*value + d
		}
		p.pos++
		if p.char() == '_' {
			p.pos++
			if c := p.char(); c < '0' || c > '9' {
				return bound{}, p.want("a digit")
			}
		}
	}
	if p.pos == digits {
		return bound{}, nil
	}
	if p.text[digits] == '0' && value > 0 {
		return bound{}, p.fail(digits, "leading zeros are not allowed")
	}
	b.set = true
	b.value = int(value)
	if negative {
		b.value = int(-value)
	}
	p.space()
	return b, nil
}

// checkEnd checks that the item ends at pos. If it does not, the error lists wants as alternatives to
// the end.
func (p *parser) checkEnd(wants ...string) error {
	switch {
	case p.peek(",") || p.atEnd():
		return nil
	case p.bracket:
		return p.want(append(wants, "','", "']'")...)
	}
	return p.want(append(wants, "','")...)
}

// atEnd reports whether no item follows.
func (p *parser) atEnd() bool {
	if p.bracket {
		return p.peek("]")
	}
	return p.pos == len(p.text)
}

func (p *parser) peek(s string) bool { return strings.HasPrefix(p.text[p.pos:], s) }

func (p *parser) accept(s string) bool {
	if !p.peek(s) {
		return false
	}
	p.pos += len(s)
	p.space()
	return true
}

// acceptName reads the name s if it is not the start of a longer name.
func (p *parser) acceptName(s string) bool {
	if !p.peek(s) {
		return false
	}
	switch c := p.text[p.pos+len(s):]; {
	case c == "":
	case c[0] == '_', '0' <= c[0] && c[0] <= '9', 'a' <= c[0]|' ' && c[0]|' ' <= 'z', c[0] >= utf8.RuneSelf:
		return false
	}
	return p.accept(s)
}

// char returns the next byte, or 0 at the end.
func (p *parser) char() byte {
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

func (p *parser) space() {
	for p.pos < len(p.text) && strings.IndexByte(" \t\n\r\f", p.text[p.pos]) >= 0 {
		p.pos++
	}
}

// want returns an error that lists the tokens allowed at pos.
func (p *parser) want(wants ...string) error {
	msg := "want " + wants[0]
	for i, w := range wants[1:] {
		if i == len(wants)-2 {
			msg += " or " + w
		} else {
			msg += ", " + w
		}
	}
	return p.fail(p.pos, msg)
}

func (p *parser) fail(pos int, msg string) error {
	position := "the end"
	if pos < len(p.text) {
		position = "character " + itoa(utf8.RuneCountInString(p.text[:pos])+1)
	}
	return errors.New("index: selection " + excerpt(p.text, pos) + " at " + position + ": " + msg)
}

// maxQuoted is the maximum number of bytes of a text that an error quotes.
const maxQuoted = 100

// excerpt returns text quoted. Of a long text it quotes the part around pos.
func excerpt(text string, pos int) string {
	if len(text) <= maxQuoted {
		return strconv.Quote(text)
	}
	lo := max(0, min(pos-maxQuoted/2, len(text)-maxQuoted))
	hi := lo + maxQuoted
	for ; lo > 0 && !utf8.RuneStart(text[lo]) && lo > pos-maxQuoted; lo-- {
	}
	for ; hi < len(text) && !utf8.RuneStart(text[hi]) && hi < pos+maxQuoted; hi++ {
	}
	q := strconv.Quote(text[lo:hi])
	if lo > 0 {
		q = "..." + q
	}
	if hi < len(text) {
		q += "..."
	}
	return q
}
