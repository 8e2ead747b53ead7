package term

import (
	"io"
	"os"
)

// Colours writes text in colour, or, where it is false, as it is.
type Colours bool

// ColoursOf returns whether w is a terminal on which colours are wanted: NO_COLOR is not set (no-color.org), nor TERM
// to dumb.
func ColoursOf(w io.Writer) Colours {
	if _, ok := Columns(w); !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	return Colours(showsColours(w.(*os.File)))
}

func (c Colours) paint(code, s string) string {
	if !c || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Title returns the name of a column.
func (c Colours) Title(s string) string { return c.paint("1", s) }

// Wrong returns text about what is wrong.
func (c Colours) Wrong(s string) string { return c.paint("31", s) }

// Chart returns a bar of a chart.
func (c Colours) Chart(s string) string { return c.paint("36", s) }
