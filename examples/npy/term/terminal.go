package term

import (
	"io"
	"os"
)

// usualColumns is the width assumed for outputs that are not terminals, and for terminals of unknown width.
const usualColumns = 80

// Columns reports whether w is a terminal, and returns its width. For an *os.File it calls columns, which is
// implemented for each system.
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
