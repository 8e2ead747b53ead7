// Package render writes arrays as NumPy prints them. It knows elements as bytes and their
// dtype, and nothing of where they come from.
package render

import (
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
}

func (a *Array) size() int {
	n := 1
	for _, d := range a.Shape {
		n *= d
	}
	return n
}

// Text returns NumPy's str(a), what print(a) prints. Of a summarized array only the
// elements that are shown are read.
func (a Array) Text() (string, error) {
	return a.text(func(b []byte, n int) Format { return newFormat(column{d: a.DType, b: b, n: n}) }, singleText)
}

// A Format writes one element, given its bytes.
type Format func(b []byte) string

// TextOf returns what Text does, with every element written by f, without padding.
func (a Array) TextOf(f Format) (string, error) {
	return a.text(func([]byte, int) Format { return f }, func(_ dtype.DType, b []byte) (string, error) { return f(b), nil })
}

// text returns a as text: elements in the format for those that are shown, n of them in b,
// or as single says where there are no dimensions.
func (a Array) text(format func(b []byte, n int) Format, single func(dtype.DType, []byte) (string, error)) (string, error) {
	n := a.size()
	if n == 0 {
		return "[]", nil
	}
	p := printer{shape: a.Shape, short: n > threshold, size: a.DType.ItemSize()}
	if err := p.read(a, nil); err != nil {
		return "", err
	}
	if len(p.shape) == 0 {
		return single(a.DType, p.b)
	}
	p.format = format(p.b, p.shown())
	return p.list(0, " ", lineWidth), nil
}

// A printer writes an array as lists in lists.
type printer struct {
	shape  []int
	short  bool
	format Format
	size   int
	b      []byte // of the elements that are shown; those written are cut off
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
		n *= length
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
		for _, end := range []index.Selector{index.Range(0, edge), index.Range(-edge, index.Omit)} {
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

// list writes the list at the given axis, which starts after indent, and whose
// closing brackets end before width.
func (p *printer) list(axis int, indent string, width int) string {
	n, dots := p.shape[axis], -1
	if p.summarized(axis) {
		n, dots = 2*edge, edge
	}
	var s strings.Builder
	if axis < len(p.shape)-1 {
		separator := strings.Repeat("\n", len(p.shape)-1-axis) + indent
		for i := range n {
			if i > 0 {
				s.WriteString(separator)
			}
			if i == dots {
				s.WriteString("..." + separator)
			}
			s.WriteString(p.list(axis+1, indent+" ", width-1))
		}
		return "[" + s.String() + "]"
	}
	l := line{indent: indent, text: indent, width: width - 1}
	for i := range n {
		if i > 0 {
			l.text += " "
		}
		if i == dots {
			l.add(&s, "...")
			l.text += " "
		}
		l.add(&s, p.format(p.b[:p.size]))
		p.b = p.b[p.size:]
	}
	s.WriteString(l.text)
	return "[" + s.String()[len(indent):] + "]"
}

// A line is the last line of a list.
type line struct {
	indent, text string
	width        int
}

// add adds a word, on a new line if it does not fit. The lines that are full go
// to s.
func (l *line) add(s *strings.Builder, word string) {
	if utf8.RuneCountInString(l.text)+utf8.RuneCountInString(word) > l.width && len(l.text) > len(l.indent) {
		s.WriteString(strings.TrimRight(l.text, " ") + "\n")
		l.text = l.indent
	}
	l.text += word
}
