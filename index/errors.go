package index

import (
	"errors"
	"strconv"
)

// ErrShape is wrapped by every error that reports an impossible shape, or a shape that does not fit
// the operation.
var ErrShape = errors.New("shape mismatch")

// ErrCopy is wrapped by the error of [Layout.Reshape] if only a copy of the elements can have the
// shape.
var ErrCopy = errors.New("copy needed")

// A BoundsError reports an index, a position or an axis that is out of range.
//
// Functions that return an error return it. Functions without an error result panic with it where
// their documentation says so. It is a [runtime.Error], like the panic of a Go slice.
type BoundsError struct {
	Axis  int // the axis indexed, or 0 if the error is not about an index of an axis
	Index int // the index, position or axis given, or the number of indices
	Len   int // the length of the axis, or the number of dimensions or elements

	kind boundsKind
}

type boundsKind uint8

const (
	badIndex    boundsKind = iota // Index of axis Axis, which has length Len
	badCount                      // Index indices for Len dimensions
	badPosition                   // position Index in C or F order among Len elements
	badAxis                       // axis Index of Len dimensions
)

// Error returns the message, for example "index 5 out of range for axis 1 with length 3".
func (e *BoundsError) Error() string {
	switch e.kind {
	case badCount:
		return "got " + plural(e.Index, "index", "indices") + " for " + plural(e.Len, "dimension", "dimensions")
	case badPosition:
		return "position " + itoa(e.Index) + " out of range for " + plural(e.Len, "element", "elements")
	case badAxis:
		return "axis " + itoa(e.Index) + " out of range for " + plural(e.Len, "dimension", "dimensions")
	}
	return "index " + itoa(e.Index) + " out of range for axis " + itoa(e.Axis) + " with length " + itoa(e.Len)
}

// RuntimeError marks a BoundsError as a [runtime.Error].
func (e *BoundsError) RuntimeError() {}

// A kindError is a message that wraps a sentinel. The message does not contain the text of the
// sentinel.
type kindError struct {
	msg  string
	kind error
}

func (e *kindError) Error() string { return e.msg }
func (e *kindError) Unwrap() error { return e.kind }

func shapeError(msg string) error { return &kindError{msg, ErrShape} }

func itoa(i int) string { return strconv.Itoa(i) }

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return itoa(n) + " " + many
}

// tuple formats a shape or strides as Python does: (), (3,), (2, 3).
func tuple(s []int) string {
	b := make([]byte, 0, 8*len(s)+2)
	b = append(b, '(')
	for i, n := range s {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(n), 10)
	}
	if len(s) == 1 {
		b = append(b, ',')
	}
	return string(append(b, ')'))
}

// orderError returns the error, or panic value, for an order other than C and F.
func orderError(order Order) error {
	return shapeError("order " + order.String() + " requires strides; want C or F")
}
