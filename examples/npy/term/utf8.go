package term

import (
	"cmp"
	"os"
	"runtime"
	"strings"
)

// ShowsBraille reports whether terminals show braille characters, judged by the environment: the locale must have
// UTF-8, and the terminal must not be dumb or the console of Linux, whose fonts lack them. On Windows, which writes
// Unicode to the console, no locale is needed.
func ShowsBraille() bool {
	if name := os.Getenv("TERM"); name == "dumb" || name == "linux" {
		return false
	}
	locale := cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_CTYPE"), os.Getenv("LANG"))
	_, charset, _ := strings.Cut(strings.ToLower(locale), ".")
	return locale == "" && runtime.GOOS == "windows" || strings.HasPrefix(charset, "utf-8") ||
		strings.HasPrefix(charset, "utf8")
}
