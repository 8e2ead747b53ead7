//go:build !plan9

// Package wine helps tests that run as Windows programs, under Wine or on Windows. test.sh runs them.
//
// Only tests import this package. It imports no other package of this module, so that the tests of every package can
// import it.
package wine

import (
	"runtime"
	"strings"
	"syscall"
)

// texts has the error messages of Unix by the error numbers of winerror.h.
var texts = map[syscall.Errno]string{
	2:    "no such file or directory", // ERROR_FILE_NOT_FOUND
	3:    "no such file or directory", // ERROR_PATH_NOT_FOUND
	5:    "permission denied",         // ERROR_ACCESS_DENIED
	80:   "file exists",               // ERROR_FILE_EXISTS
	112:  "no space left on device",   // ERROR_DISK_FULL
	183:  "file exists",               // ERROR_ALREADY_EXISTS
	1455: "cannot allocate memory",    // ERROR_COMMITMENT_LIMIT
	8:    "cannot allocate memory",    // ERROR_NOT_ENOUGH_MEMORY
}

// Unix returns s with system error messages replaced by their Unix texts, so that a test can expect the same text on
// every system. The messages of Windows depend on its version and language.
func Unix(s string) string {
	if runtime.GOOS != "windows" {
		return s
	}
	for errno, text := range texts {
		s = strings.ReplaceAll(s, errno.Error(), text)
	}
	return s
}
