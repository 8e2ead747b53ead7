package main

import (
	"bufio"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/examples/npy/term"
)

// A table writes rows of text below titles. Columns are as wide as their contents. On a terminal, lines are cut at its
// edge.
type table struct {
	out     *bufio.Writer
	columns int // width of a line; 0 means unlimited
	colours term.Colours
	titles  []string
	left    []bool // which columns are left-aligned
	widths  []int
	begun   bool
}

// A row is one line of a table. If wrong is set, the last text is an error message instead of the remaining columns.
type row struct {
	text  []string
	wrong bool
}

// newTable returns a table on standard output.
func (e *env) newTable(titles []string, left []bool) *table {
	t := &table{out: e.out, colours: e.colours, titles: titles, left: left, widths: make([]int, len(titles))}
	if e.terminal {
		t.columns = e.columns
	}
	return t
}

// widest is the maximum width of a column. A longer text shifts the remaining columns of its line.
const widest = 40

// write writes rows. It may be called several times.
func (t *table) write(rows []row) {
	for k, title := range t.titles {
		t.widths[k] = max(t.widths[k], utf8.RuneCountInString(title))
		for _, r := range rows {
			if k < len(r.text) && !(r.wrong && k == len(r.text)-1) {
				t.widths[k] = max(t.widths[k], min(widest, utf8.RuneCountInString(r.text[k])))
			}
		}
	}
	if !t.begun {
		t.begun = true
		t.out.WriteString(t.colours.Title(t.line(t.titles)) + "\n")
	}
	for _, r := range rows {
		s := t.line(r.text)
		if r.wrong {
			s = t.colours.Wrong(s)
		}
		t.out.WriteString(s + "\n")
	}
}

func (t *table) line(text []string) string {
	var b strings.Builder
	for k, s := range text {
		if k > 0 {
			b.WriteString("  ")
		}
		blank := strings.Repeat(" ", max(0, t.widths[k]-utf8.RuneCountInString(s)))
		if t.left[k] {
			b.WriteString(s + blank)
		} else {
			b.WriteString(blank + s)
		}
	}
	s := strings.TrimRight(b.String(), " ")
	if n := t.columns - 1; t.columns > 0 && utf8.RuneCountInString(s) > n { // some terminals wrap in the last column
		s = string([]rune(s)[:max(0, n-1)]) + "…"
	}
	return s
}
