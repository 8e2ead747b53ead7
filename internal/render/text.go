// Package render formats arrays as NumPy prints them. It reads elements from bytes according to their dtype, and does
// not depend on the packages that provide the bytes.
package render

import (
	"bufio"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// NumPy's default print options: arrays of more than 1000 elements are summarized, with 3 elements at either end of
// each axis, and lines have 75 characters.
const (
	threshold = 1000
	edge      = 3
	lineWidth = 75
)

// An Array gives access to an array for printing.
type Array struct {
	DType dtype.DType
	Shape []int

	// Append appends the elements of a[sel...] to dst, in C order, unchanged.
	Append func(dst []byte, sel []index.Selector) ([]byte, error)

	// Element returns the memory of one element without copying it, because an element may be large.
	Element func(idx []int) ([]byte, error)
}

// Text returns NumPy's str(a), the text that print(a) prints. If the array is summarized, Text reads only the elements
// that it shows. Elements of more than 16 KiB are truncated, and followed by their length.
func (a Array) Text() (string, error) { return a.text(nil) }

// TextOf is like Text, but calls leaf to format each element, or each value in a structure, without padding. If a
// text is too long, leaf gets only its start.
func (a Array) TextOf(leaf func(d dtype.DType, b []byte) string) (string, error) { return a.text(leaf) }

func (a Array) text(leaf func(dtype.DType, []byte) string) (string, error) {
	var s strings.Builder
	err := a.write(&s, leaf, false)
	return s.String(), err
}

// WriteText is like Text, but writes to out, and does not truncate elements of text and void. Errors of out appear
// when it is flushed.
func (a Array) WriteText(out *bufio.Writer) error { return a.write(out, nil, true) }

func (a Array) write(out writer, leaf func(dtype.DType, []byte) string, whole bool) error {
	weight := Weight(a.DType)
	p := printer{
		out: out, d: a.DType, shape: a.Shape,
		whole: whole && a.DType.IsVariable() && weight > elementLimit,
	}
	n := size(p.shape)
	if n == 0 {
		out.WriteString("[]")
		return nil
	}
	p.short = n > threshold
	n = p.countShown()
	if saturatingProduct(n, max(16, min(weight, elementLimit))) > totalLimit {
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
		return p.writeSingle(leaf)
	}
	p.format = newFormat(column{d: p.d, n: n, item: func(i int) []byte { return p.items[i] }, limit: elementLimit,
		leaf: leaf})
	p.writeList(0, " ", lineWidth)
	return nil
}

// A Format returns the text of one element, given its bytes.
type Format func(b []byte) string

// A printer writes an array as nested lists.
type printer struct {
	out    writer
	d      dtype.DType
	shape  []int
	short  bool
	whole  bool // do not truncate text and void
	format Format
	b      []byte   // copy of the elements that are shown, if they are copied
	items  [][]byte // the elements that are shown and not written yet
}

// Shown returns the shape of the elements that the text of an array shows. An axis that is summarized has length 6 in
// it, for 3 elements at either end.
func Shown(shape []int) []int {
	p := printer{shape: shape, short: size(shape) > threshold}
	shown := slices.Clone(shape)
	for axis := range shown {
		if p.summarized(axis) {
			shown[axis] = 2 * edge
		}
	}
	return shown
}

// size returns the number of elements of an array, or a very large number if it overflows.
func size(shape []int) int {
	n := 1
	for _, length := range shape {
		n = saturatingProduct(n, length)
	}
	return n
}

// summarized reports whether the middle of an axis is omitted.
func (p *printer) summarized(axis int) bool { return p.short && p.shape[axis] > 2*edge }

// countShown returns the number of elements that are shown.
func (p *printer) countShown() int {
	n := 1
	for axis, length := range p.shape {
		if p.summarized(axis) {
			length = 2 * edge
		}
		n = saturatingProduct(n, length)
	}
	return n
}

// read appends the elements that are shown to p.b. sel selects from the first axes. If no remaining axis is
// summarized, read copies all their elements at once.
func (p *printer) read(a Array, sel []index.Selector) (err error) {
	first := len(sel) // the first summarized axis
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

// readEach appends the memory of the elements that are shown to p.items without copying it. idx is the index in the
// axes before axis.
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

// writeSingle writes the element of a 0-dimensional array.
func (p *printer) writeSingle(leaf func(dtype.DType, []byte) string) error {
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

// writeWhole writes an element of text or bytes completely.
func (p *printer) writeWhole(b []byte) {
	if p.d.Kind() == dtype.KindVoid {
		rawText(p.out, p.d, b)
	} else {
		quote(p.out, p.d, b)
	}
}

// writeList writes a list along the given axis. Its lines start with indent, and its closing brackets end before column
// width.
func (p *printer) writeList(axis int, indent string, width int) {
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
			p.writeList(axis+1, indent+" ", width-1)
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

// A line is the current line of a list.
type line struct {
	out    writer
	indent string
	at     int // width so far, including the indentation and pending spaces
	spaces int // pending spaces, which are not written at the end of a line
	width  int
}

// start starts a word of the given width, on a new line if it does not fit.
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

// end writes the pending spaces.
func (l *line) end() {
	l.out.WriteString(strings.Repeat(" ", l.spaces))
	l.spaces = 0
}
