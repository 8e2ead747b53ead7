// Package pylit parses the Python literals that .npy headers are made of:
// strings, numbers, booleans, None, tuples, lists, dicts and sets, as Python's
// ast.literal_eval reads them. It never evaluates anything.
//
// Its cost is bounded by the length of the text: one pass, one slice with 16
// bytes a value, brackets nested at most [MaxDepth] deep.
package pylit

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxDepth is how deep brackets may nest. CPython's own tokenizer stops at the
// same depth ("too many nested parentheses", MAXLEVEL in Parser/tokenizer.h).
const MaxDepth = 200

// Kind says what a [Value] is.
type Kind uint8

const (
	Invalid Kind = iota // the zero Value
	Str                 // 'x', "x", 'x' 'y'
	Bytes               // b'x'
	Int                 // 10, -3, 0x1F, 1_000, 10L
	Number              // any other number: 1.5, 2j
	Bool                // True, False
	None                // None
	Tuple               // (1, 2)
	List                // [1, 2]
	Dict                // {'a': 1}: children are key, value, key, value, …
	Set                 // {1, 2}
	group               // (1): parentheses around one value; never seen outside
)

func (k Kind) String() string {
	return [...]string{"nothing", "a string", "bytes", "an integer", "a number that is no integer",
		"a boolean", "None", "a tuple", "a list", "a dict", "a set", "a group"}[k]
}

// Encoding says how the bytes of a text stand for characters.
type Encoding uint8

const (
	UTF8   Encoding = iota
	Latin1          // each byte is the code point of that value
)

// Config says how to read a text.
type Config struct {
	Encoding Encoding
	Filter   bool // read the text as NumPy's _filter_header leaves it, which takes the L from Python 2's 10L
}

// Error is a text that is no literal. Pos is a byte offset into the text.
type Error struct {
	Pos int
	Msg string
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Pos, e.Msg) }

// A tree holds the values of one text in preorder: the children of node i
// start at i+1, and next is the index after the last of them.
type tree struct {
	src   string
	cfg   Config
	nodes []node
	few   [16]node // where nodes starts, to save an allocation
}

type node struct {
	kind     Kind
	plain    bool // Str: the text between the quotes is the string
	pos, end uint32
	next     uint32
}

// Value is one value of a parsed text. The zero Value has kind [Invalid].
// Values are small and immutable, and stay valid as long as the text does.
type Value struct {
	t *tree
	i uint32
}

// at is the value at node i, with the parentheses around it taken off.
func (t *tree) at(i uint32) Value {
	for t.nodes[i].kind == group {
		i++
	}
	return Value{t, i}
}

func (v Value) node() *node { return &v.t.nodes[v.i] }

// Kind reports what v is.
func (v Value) Kind() Kind {
	if v.t == nil {
		return Invalid
	}
	return v.node().kind
}

// Pos is the byte offset of v in the text.
func (v Value) Pos() int { return int(v.node().pos) }

// Text is v as it stands in the text.
func (v Value) Text() string { return v.t.src[v.node().pos:v.node().end] }

// Excerpt is the start of [Value.Text] for messages: at most 40 characters, all of
// them printable, since a file may hold what a terminal should not see.
func (v Value) Excerpt() string { return excerpt(v.Text(), v.t.cfg.Encoding) }

func excerpt(s string, enc Encoding) string {
	var b strings.Builder
	for range 40 {
		r, n := utf8.DecodeRuneInString(s)
		if n == 0 {
			return b.String()
		}
		if enc == Latin1 {
			r, n = rune(s[0]), 1
		}
		s = s[n:]
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	if s != "" {
		b.WriteString("…")
	}
	return b.String()
}

// Bool is the value of a [Bool].
func (v Value) Bool() bool { return v.Text() == "True" }

// First is the first child of a tuple, list, set or dict; its kind is [Invalid]
// when there is none.
//
//	for c := v.First(); c.Kind() != pylit.Invalid; c = v.After(c) {
func (v Value) First() Value { return v.child(v.i + 1) }

// After is the child of v that follows c.
func (v Value) After(c Value) Value {
	// c may stand in parentheses, whose node is before c and ends where c ends:
	// the next sibling starts at the same place for both.
	return v.child(c.node().next)
}

func (v Value) child(i uint32) Value {
	if i >= v.node().next {
		return Value{}
	}
	return v.t.at(i)
}

// Len counts the children of v. It takes time in proportion to them.
func (v Value) Len() int {
	n := 0
	for c := v.First(); c.Kind() != Invalid; c = v.After(c) {
		n++
	}
	return n
}
