package dtype

import (
	"errors"
	"fmt"
)

// ErrDType is wrapped by every error and panic of this package that is about a dtype or a Go type, rather than about a
// value. Package array has the same error.
var ErrDType = errors.New("the dtype does not fit")

// A typeError has the text of err, and wraps err and ErrDType.
type typeError struct{ err error }

func (e *typeError) Error() string   { return e.err.Error() }
func (e *typeError) Unwrap() []error { return []error{e.err, ErrDType} }

// errorf returns a formatted error that starts with "dtype: " and wraps ErrDType.
func errorf(format string, args ...any) error {
	return &typeError{fmt.Errorf("dtype: "+format, args...)}
}
