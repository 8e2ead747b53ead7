package index

import (
	"errors"
	"strconv"
)

// ErrShape is wrapped by every error that says that a shape is not possible or
// does not fit what is asked of it.
var ErrShape = errors.New("shape mismatch")

// ErrCopy is wrapped by the error of [Layout.Reshape] when the elements could take the shape
// only in a copy.
var ErrCopy = errors.New("copy needed")

// A BoundsError says that an index, a position or an axis is out of range. The functions and
// methods of this package that say so panic with it; those that return an error return it. It
// is a [runtime.Error], as the panic of a Go slice is.
type BoundsError struct {
	Axis  int // the axis indexed; 0 where there is none
	Index int // what was given
	Len   int // the length of the axis, or the number of dimensions or of elements

	kind boundsKind
}

type boundsKind uint8

const (
	badIndex    boundsKind = iota // Index of axis Axis, which has length Len
	badCount                      // Index indices for Len dimensions
	badPosition                   // position Index in C or F order among Len elements
	badAxis                       // axis Index of Len dimensions
)

// Error returns, for example, "index 5 out of range for axis 1 with length 3".
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

// RuntimeError makes a BoundsError a [runtime.Error].
func (e *BoundsError) RuntimeError() {}

// kindError is a message with the sentinel that it is an instance of. The
// sentinel's own text stays out of the message.
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

// tuple spells a shape or strides as Python does: (), (3,), (2, 3).
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

// badOrder is the error, or the panic, for an order that is not C or F.
func badOrder(order Order) error {
	return shapeError("order " + order.String() + " where there are no strides to go by; want C or F")
}
