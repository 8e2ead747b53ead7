package array

import (
	"errors"
	"syscall"
)

// isSharingViolation reports whether err says that a file cannot be opened because another process is renaming it.
func isSharingViolation(err error) bool {
	return errors.Is(err, syscall.Errno(32)) // ERROR_SHARING_VIOLATION
}
