package words

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/internal/render"
)

// Printable makes text, such as file names, safe for a terminal. It replaces control characters, line breaks,
// bidirectional controls and invalid UTF-8 by Go's escape sequences.
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
