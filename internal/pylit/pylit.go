// Package pylit parses the Python literals in .npy headers: strings, numbers, booleans, None, tuples, lists, dicts and
// sets, like Python's ast.literal_eval. It never evaluates anything.
//
// The cost is bounded by the length of the text: one pass, one slice with 16 bytes for each value, and brackets that
// nest at most [MaxDepth] deep.
package pylit

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxDepth is the maximum depth of nested brackets. CPython's tokenizer has the same limit ("too many nested
// parentheses", MAXLEVEL in Parser/tokenizer.h).
const MaxDepth = 200

// Kind is the kind of a [Value].
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
	group               // (1): parentheses around one value, which Value does not show
)

func (k Kind) String() string {
	return [...]string{"nothing", "a string", "bytes", "an integer", "a non-integer number",
		"a boolean", "None", "a tuple", "a list", "a dict", "a set", "a group"}[k]
}

// Encoding is the encoding of a text.
type Encoding uint8

const (
	UTF8   Encoding = iota
	Latin1          // each byte is the code point of a character
)

// Config describes how to read a text.
type Config struct {
	Encoding Encoding
	Filter   bool // read the text like NumPy's _filter_header, which removes the L from Python 2's 10L
}

// An Error describes why a text is not a literal. Pos is a byte offset into the text.
type Error struct {
	Pos int
	Msg string
}

func (e *Error) Error() string { return fmt.Sprintf("byte %d: %s", e.Pos, e.Msg) }

// A tree holds the values of one text in preorder. The children of node i start at node i+1, and its field next is the
// index of the first node after them.
type tree struct {
	src   string
	cfg   Config
	nodes []node
	few   [16]node // the initial memory of nodes, to save an allocation
}

type node struct {
	kind     Kind
	plain    bool // Str: the text between the quotes is the string
	pos, end uint32
	next     uint32
}

// A Value is a value in a parsed text. The zero Value has kind [Invalid]. Values are small and immutable, and stay
// valid as long as the text.
type Value struct {
	t *tree
	i uint32
}

// at returns the value at node i, without the parentheses around it.
func (t *tree) at(i uint32) Value {
	for t.nodes[i].kind == group {
		i++
	}
	return Value{t, i}
}

func (v Value) node() *node { return &v.t.nodes[v.i] }

// Kind returns the kind of v.
func (v Value) Kind() Kind {
	if v.t == nil {
		return Invalid
	}
	return v.node().kind
}

// Pos returns the byte offset of v in the text.
func (v Value) Pos() int { return int(v.node().pos) }

// Text returns the part of the text that represents v.
func (v Value) Text() string { return v.t.src[v.node().pos:v.node().end] }

// Excerpt returns the start of [Value.Text] for messages: at most 40 characters. Characters that are not printable are
// escaped, because a file may contain control characters of a terminal.
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

// Bool returns the value of a [Bool].
func (v Value) Bool() bool { return v.Text() == "True" }

// First returns the first child of a tuple, list, set or dict. If v has no children, the result has kind [Invalid].
//
//	for c := v.First(); c.Kind() != pylit.Invalid; c = v.After(c) {
func (v Value) First() Value { return v.child(v.i + 1) }

// After returns the child of v that follows c.
func (v Value) After(c Value) Value {
	// c may be in parentheses, whose node comes before c and ends where c ends. So the next sibling is the same for both.
	return v.child(c.node().next)
}

func (v Value) child(i uint32) Value {
	if i >= v.node().next {
		return Value{}
	}
	return v.t.at(i)
}

// Len returns the number of children of v. It takes time proportional to that number.
func (v Value) Len() int {
	n := 0
	for c := v.First(); c.Kind() != Invalid; c = v.After(c) {
		n++
	}
	return n
}
