package nd

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/pylit"
)

// NewDTypeError returns a *DTypeError. It is a variable that package array sets, because the type belongs to its
// surface.
var NewDTypeError func(path string, have, want dtype.DType, msg string) error

// A KindError is an error of a kind, ErrFormat or ErrDType, that its text does not name.
type KindError struct {
	Err, Kind error
}

// OfKind returns err as an error that also wraps kind.
func OfKind(err, kind error) error { return &KindError{err, kind} }

func (e *KindError) Error() string { return e.Err.Error() }

func (e *KindError) Unwrap() []error { return []error{e.Err, e.Kind} }

// Tuple returns a shape, or strides, as NumPy writes them: (), (3,), (2, 3).
func Tuple(s []int) string { return string(pylit.AppendTuple(nil, s)) }

func Prefix(path string) string {
	if path == "" {
		return "array: "
	}
	return path + ": "
}

// A usageError is the value of a panic for a mistake in the program.
type usageError struct {
	Msg string
	Err error
}

// Misuse returns the value of a panic with a message, which wraps err.
func Misuse(msg string, err error) error { return &usageError{msg, err} }

func (e *usageError) Error() string { return e.Msg }

func (e *usageError) Unwrap() error { return e.Err }

func (e *usageError) RuntimeError() {}

// AccessError is what a read or write that cannot be done panics with.
func (el *Storage) AccessError(a Access) error {
	if el == nil || a == NoAccess {
		return Misuse("array: use of the zero Array or View: it stands for no array (see IsZero)", nil)
	}
	if !el.Mem.ReadOnly {
		return Misuse(Prefix(el.Mem.Path)+"write through a view that is broadcast, or of a stack with a read-only part; write to what it was made of, or to a Clone", ErrReadOnly)
	}
	return Misuse(Prefix(el.Mem.Path)+"write through a read-only view; open the file with mmap.ReadWrite or mmap.CopyOnWrite", ErrReadOnly)
}
