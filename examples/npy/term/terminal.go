package term

import (
	"io"
	"os"
)

// usualColumns is how wide a terminal is that does not say so, and what is no
// terminal.
const usualColumns = 80

// Columns reports whether w is a terminal, and how many columns it has. A file per
// system knows it of an *os.File: columns, which may not know the number.
func Columns(w io.Writer) (n int, ok bool) {
	n = usualColumns
	if f, isFile := w.(*os.File); isFile {
		var wide int
		if wide, ok = columns(f); wide > 0 {
			n = wide
		}
	}
	return n, ok
}
