package words

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/internal/render"
)

// Printable is text, with names of files in it, as it may go to a terminal: what would do
// something there, end the line or turn it around, and what is no UTF-8, is shown as Go would
// write it between quotes.
func Printable(s string) string {
	var b strings.Builder
	for i, c := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case c == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == '\r':
			b.WriteString(`\r`)
		case !render.IsInvisible(c):
			b.WriteRune(c)
		case c < 0x80:
			fmt.Fprintf(&b, `\x%02x`, c)
		case c < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			fmt.Fprintf(&b, `\U%08x`, c)
		}
	}
	return b.String()
}
