package array

import (
	"errors"
	"syscall"
)

// inTheWay reports whether err says that a file just gets its name, and cannot be opened meanwhile.
func inTheWay(err error) bool {
	return errors.Is(err, syscall.Errno(32)) // ERROR_SHARING_VIOLATION
}
