package main

import (
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
)

// What NumPy prints by default: arrays of more than 1000 elements are summarized,
// with 3 elements at either end of each axis, and lines have 75 characters.
const (
	threshold = 1000
	edge      = 3
	lineWidth = 75
)

// text is NumPy's str(a), what print(a) prints. Of a summarized array only the
// elements that are shown are touched.
func text(a array.Array) (string, error) {
	if a.Size() == 0 {
		return "[]", nil
	}
	p := printer{shape: a.Shape(), short: a.Size() > threshold}
	a, err := p.corners(a)
	if err != nil {
		return "", err
	}
	p.b, err = gather(a, nil)
	if err != nil {
		return "", err
	}
	p.size = a.ItemSize()
	if a.NDim() == 0 {
		return singleText(a.DType(), p.b)
	}
	p.format = newFormat(column{d: a.DType(), b: p.b, n: a.Size()})
	return p.list(0, " ", lineWidth), nil
}

// A printer writes an array as lists in lists.
type printer struct {
	shape  []int
	short  bool
	format format
	size   int
	b      []byte // of the elements that are shown; those written are cut off
}

// summarized reports whether the middle of an axis is left out.
func (p *printer) summarized(axis int) bool { return p.short && p.shape[axis] > 2*edge }

// corners is a with only the elements that are shown.
func (p *printer) corners(a array.Array) (array.Array, error) {
	if !p.short {
		return a, nil
	}
	shape := a.Shape()
	for axis := range shape {
		if p.summarized(axis) {
			shape[axis] = 2 * edge
		}
	}
	lay, err := index.NewLayout(shape, a.ItemSize(), index.C)
	if err != nil {
		return a, err
	}
	dst, err := array.FromBytes(make([]byte, a.ItemSize()*lay.Size()), a.DType(), index.C, shape...)
	if err != nil {
		return a, err
	}
	return dst, p.copyCorners(dst, a, nil)
}

// copyCorners copies what is shown, given what was selected of the first axes.
func (p *printer) copyCorners(dst, src array.Array, sel []index.Selector) error {
	axis := len(sel)
	switch {
	case axis == len(p.shape):
		d, err := dst.Select(sel...)
		if err != nil {
			return err
		}
		s, err := src.Select(sel...)
		if err != nil {
			return err
		}
		return array.Copy(d, s)
	case p.summarized(axis):
		for _, end := range []index.Selector{index.Range(0, edge), index.Range(-edge, index.Omit)} {
			if err := p.copyCorners(dst, src, append(sel[:axis:axis], end)); err != nil {
				return err
			}
		}
		return nil
	}
	return p.copyCorners(dst, src, append(sel, index.Colon))
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
