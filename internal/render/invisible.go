package render

import "unicode"

// IsInvisible reports whether c is a control character, of any kind, or one that formats what is
// around it, as those that change the direction of text.
func IsInvisible(c rune) bool {
	return unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Zl, unicode.Zp)
}
