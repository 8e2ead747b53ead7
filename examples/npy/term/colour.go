package term

import (
	"io"
	"os"
)

// Colours writes coloured text, or plain text if it is false.
type Colours bool

// ColoursOf reports whether w is a terminal on which colours are wanted: NO_COLOR (no-color.org) is not set, and TERM
// is not dumb.
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

// Title formats a column title.
func (c Colours) Title(s string) string { return c.paint("1", s) }

// Wrong formats an error message.
func (c Colours) Wrong(s string) string { return c.paint("31", s) }

// Chart formats a bar of a chart.
func (c Colours) Chart(s string) string { return c.paint("36", s) }
