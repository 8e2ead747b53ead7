//go:build !plan9

// Package wine is for tests that run as Windows programs, under Wine or on Windows. test.sh runs them.
//
// Only tests import it, and it imports no package of this module, so that the tests of all of them can import it.
package wine

import (
	"runtime"
	"strings"
	"syscall"
)

// texts are what Unix says, by the numbers of winerror.h.
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

// Unix returns s with the messages of the system as they are on Unix, so that a test may compare it with one text
// wherever it runs. What Windows says depends on its version and language.
func Unix(s string) string {
	if runtime.GOOS != "windows" {
		return s
	}
	for errno, text := range texts {
		s = strings.ReplaceAll(s, errno.Error(), text)
	}
	return s
}
