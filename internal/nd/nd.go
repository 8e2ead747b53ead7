// Package nd works on arrays whose elements have no Go type: views of one memory, arrays joined of several, and the
// passes through them. Package array gives them types and documentation.
package nd

import (
	"errors"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

type pointer = strided.Pointer

// Package array exports these errors.
var (
	ErrReadOnly  = errors.New("array is read-only")
	ErrNotDirect = errors.New("elements are not directly accessible")
	ErrShape     = index.ErrShape
	ErrCopy      = index.ErrCopy
	ErrDType     = errors.New("the dtype does not fit")
)
