package render

import "unicode"

// IsInvisible reports whether c is a control character or a character that changes the formatting of the text around
// it, such as its direction.
func IsInvisible(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)
}
