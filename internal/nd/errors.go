package nd

import (
	"errors"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/pylit"
)

var (
	// Package array exports these errors under the same names.
	ErrReadOnly  = errors.New("array is read-only")
	ErrNotDirect = errors.New("elements are not directly accessible")
	ErrShape     = index.ErrShape
	ErrCopy      = index.ErrCopy
	ErrDType     = dtype.ErrDType

	// NewDTypeError returns an *array.DTypeError. Package array sets it, because nd cannot import the type.
	NewDTypeError func(path string, have, want dtype.DType, msg string) error
)

// A KindError wraps Err and Kind, an error such as ErrFormat or ErrDType.
type KindError struct {
	Err, Kind error
}

// OfKind returns an error with the text of err that wraps both err and kind.
func OfKind(err, kind error) error { return &KindError{err, kind} }

// Error returns the text of Err.
func (e *KindError) Error() string { return e.Err.Error() }

// Unwrap returns Err and Kind, for errors.Is and errors.As.
func (e *KindError) Unwrap() []error { return []error{e.Err, e.Kind} }

// A usageError is the value of a panic that a mistake in the calling program causes.
type usageError struct {
	msg string
	err error
}

// Misuse returns a panic value, a runtime.Error, that has the text msg and wraps err.
func Misuse(msg string, err error) error { return &usageError{msg, err} }

func (e *usageError) Error() string { return e.msg }

func (e *usageError) Unwrap() error { return e.err }

func (e *usageError) RuntimeError() {}

// Prefix returns the start of an error message about the file path, or about an array in memory if path is empty.
func Prefix(path string) string {
	if path == "" {
		return "array: "
	}
	return path + ": "
}

// Tuple formats a shape or strides as NumPy does: (), (3,), (2, 3).
func Tuple(s []int) string { return string(pylit.AppendTuple(nil, s)) }

// Must returns v. It panics if err is not nil.
func Must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
