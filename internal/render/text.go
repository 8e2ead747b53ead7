// Package render writes arrays as NumPy prints them. It knows elements as bytes and their
// dtype, and nothing of where they come from.
package render

import (
	"bufio"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// What NumPy prints by default: arrays of more than 1000 elements are summarized,
// with 3 elements at either end of each axis, and lines have 75 characters.
const (
	threshold = 1000
	edge      = 3
	lineWidth = 75
)

// An Array is what Text needs to know of one.
type Array struct {
	DType dtype.DType
	Shape []int

	// Append appends the elements of a[sel...] to dst, one after the other in C order, as
	// they are in memory.
	Append func(dst []byte, sel []index.Selector) ([]byte, error)

	// Element returns the memory of one element, which may be large, without a copy.
	Element func(idx []int) ([]byte, error)
}

// Text returns NumPy's str(a), what print(a) prints. Of a summarized array only the
// elements that are shown are read. Of an element of more than 16 KiB only the beginning is
// written, and how long it is.
func (a Array) Text() (string, error) { return a.text(nil) }

// TextOf returns what Text does, with every element, or value of a structure, written by leaf,
// without padding. Of long text or bytes, b is the beginning.
func (a Array) TextOf(leaf func(d dtype.DType, b []byte) string) (string, error) { return a.text(leaf) }

func (a Array) text(leaf func(dtype.DType, []byte) string) (string, error) {
	var s strings.Builder
	err := a.write(&s, leaf, false)
	return s.String(), err
}

// WriteText writes what Text returns to out, but elements of text and of bytes without meaning in
// full. Errors of out come when it is flushed.
func (a Array) WriteText(out *bufio.Writer) error { return a.write(out, nil, true) }

func (a Array) write(out writer, leaf func(dtype.DType, []byte) string, whole bool) error {
	weight := Weight(a.DType)
	p := printer{
		out: out, d: a.DType, shape: a.Shape,
		whole: whole && a.DType.IsVariable() && weight > elementLimit,
	}
	n := 1
	for _, length := range p.shape {
		n = product(n, length)
	}
	if n == 0 {
		out.WriteString("[]")
		return nil
	}
	p.short = n > threshold
	n = p.shown()
	if product(n, max(16, min(weight, elementLimit))) > totalLimit {
		return fmt.Errorf("%d elements are too many to print, and none of the %d axes is long enough to be summarized; select some of them", n, len(p.shape))
	}
	var err error
	if weight > elementLimit {
		err = p.readEach(a, make([]int, len(p.shape)), 0)
	} else if err = p.read(a, nil); err == nil {
		item := items(p.b, p.d.ItemSize())
		for i := range n {
			p.items = append(p.items, item(i))
		}
	}
	if err != nil {
		return err
	}
	if len(p.shape) == 0 {
		return p.single(leaf)
	}
	p.format = newFormat(column{d: p.d, n: n, item: func(i int) []byte { return p.items[i] }, limit: elementLimit,
		leaf: leaf})
	p.list(0, " ", lineWidth)
	return nil
}

// A Format writes one element, given its bytes.
type Format func(b []byte) string

// A printer writes an array as lists in lists.
type printer struct {
	out    writer
	d      dtype.DType
	shape  []int
	short  bool
	whole  bool // text and bytes are written in full
	format Format
	b      []byte   // of the elements that are shown, where they are copied
	items  [][]byte // those elements, from the next one to write on
}

// summarized reports whether the middle of an axis is left out.
func (p *printer) summarized(axis int) bool { return p.short && p.shape[axis] > 2*edge }

// shown returns how many elements are shown.
func (p *printer) shown() int {
	n := 1
	for axis, length := range p.shape {
		if p.summarized(axis) {
			length = 2 * edge
		}
		n = product(n, length)
	}
	return n
}

// read reads the elements that are shown, given what was selected of the first axes: the
// rest at once, where no axis of it is summarized.
func (p *printer) read(a Array, sel []index.Selector) (err error) {
	first := len(sel) // axis that is summarized
	for first < len(p.shape) && !p.summarized(first) {
		first++
	}
	axis := len(sel)
	switch {
	case first == len(p.shape):
		p.b, err = a.Append(p.b, sel)
		return err
	case axis == len(p.shape)-1:
		for _, end := range []index.Selector{index.Range(0, edge), index.From(-edge)} {
			if p.b, err = a.Append(p.b, append(sel[:axis:axis], end)); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range p.shape[axis] {
		if p.summarized(axis) && i == edge {
			break
		}
		if err := p.read(a, append(sel[:axis:axis], index.At(i))); err != nil {
			return err
		}
	}
	for i := -edge; p.summarized(axis) && i < 0; i++ {
		if err := p.read(a, append(sel[:axis:axis], index.At(i))); err != nil {
			return err
		}
	}
	return nil
}

// readEach finds the elements that are shown without copying them, with the first axes at idx.
func (p *printer) readEach(a Array, idx []int, axis int) error {
	if axis == len(idx) {
		b, err := a.Element(idx)
		p.items = append(p.items, b)
		return err
	}
	for i := 0; i < p.shape[axis]; i++ {
		if p.summarized(axis) && i == edge {
			i = p.shape[axis] - edge
		}
		idx[axis] = i
		if err := p.readEach(a, idx, axis+1); err != nil {
			return err
		}
	}
	return nil
}

// single writes the one element of an array of no dimensions.
func (p *printer) single(leaf func(dtype.DType, []byte) string) error {
	b := p.items[0]
	s, err := "", error(nil)
	switch {
	case p.whole && p.d.Kind() == dtype.KindUnicode:
		if err = checkText(p.d, b); err == nil {
			plainText(p.out, p.d, b)
		}
	case p.whole:
		p.writeWhole(b)
	case leaf != nil:
		s = newFormat(column{d: p.d, limit: elementLimit, leaf: leaf})(b)
	default:
		s, err = singleText(p.d, b)
	}
	if err == nil {
		p.out.WriteString(s)
	}
	return err
}

// writeWhole writes all of an element of text or bytes.
func (p *printer) writeWhole(b []byte) {
	if p.d.Kind() == dtype.KindVoid {
		rawText(p.out, p.d, b)
	} else {
		quote(p.out, p.d, b)
	}
}

// list writes the list at the given axis, which starts after indent, and whose
// closing brackets end before width.
func (p *printer) list(axis int, indent string, width int) {
	n, dots := p.shape[axis], -1
	if p.summarized(axis) {
		n, dots = 2*edge, edge
	}
	p.out.WriteByte('[')
	if axis < len(p.shape)-1 {
		separator := strings.Repeat("\n", len(p.shape)-1-axis) + indent
		for i := range n {
			if i > 0 {
				p.out.WriteString(separator)
			}
			if i == dots {
				p.out.WriteString("..." + separator)
			}
			p.list(axis+1, indent+" ", width-1)
		}
		p.out.WriteByte(']')
		return
	}
	l := line{out: p.out, indent: indent, at: len(indent), width: width - 1}
	for i := range n {
		if i > 0 {
			l.space()
		}
		if i == dots {
			l.add("...")
			l.space()
		}
		b := p.items[0]
		p.items = p.items[1:]
		if p.whole && p.d.Kind() != dtype.KindVoid {
			b = TrimText(p.d, b)
		}
		if p.whole && len(b) > elementLimit {
			l.start(lineWidth)
			p.writeWhole(b)
		} else {
			l.add(p.format(b))
		}
	}
	l.end()
	p.out.WriteByte(']')
}

// A line is the last line of a list.
type line struct {
	out    writer
	indent string
	at     int // characters of the line, those before the list and spaces that may follow among them
	spaces int // not written yet: at the end of a line they are left out
	width  int
}

// start begins a word, on a new line if it does not fit.
func (l *line) start(width int) {
	if l.at+width > l.width && l.at > len(l.indent) {
		l.out.WriteString("\n" + l.indent)
		l.at, l.spaces = len(l.indent), 0
	}
	l.end()
	l.at += width
}

// add adds a word.
func (l *line) add(word string) {
	l.start(utf8.RuneCountInString(word))
	trimmed := strings.TrimRight(word, " ")
	l.out.WriteString(trimmed)
	l.spaces = len(word) - len(trimmed)
}

// space adds a space.
func (l *line) space() {
	l.at++
	l.spaces++
}

// end writes the spaces that are due.
func (l *line) end() {
	l.out.WriteString(strings.Repeat(" ", l.spaces))
	l.spaces = 0
}
