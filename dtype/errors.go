package dtype

import (
	"errors"
	"fmt"
)

// ErrDType is wrapped by the errors and panic values of this package that concern a dtype or a Go type. Errors that
// concern a value, such as a time out of range, do not wrap it. Package array exports the same error.
var ErrDType = errors.New("the dtype does not fit")

// A typeError prints the text of err, and wraps err and ErrDType.
type typeError struct{ err error }

func (e *typeError) Error() string   { return e.err.Error() }
func (e *typeError) Unwrap() []error { return []error{e.err, ErrDType} }

// errorf returns a formatted error that starts with "dtype: " and wraps ErrDType.
func errorf(format string, args ...any) error {
	return &typeError{fmt.Errorf("dtype: "+format, args...)}
}
