package array

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
)

// shaped is what an Array, a View and a TextView have in common: a view, and the methods that tell what it is.
// The other methods of the view are not promoted: each would be compiled for every type of View.
type shaped struct{ view nd.Array }

// IsZero reports whether this is the zero value, which stands for no array.
func (s shaped) IsZero() bool { return s.view.IsZero() }

// DType returns the type of the elements.
func (s shaped) DType() dtype.DType { return s.view.DType() }

// NDim returns the number of dimensions.
func (s shaped) NDim() int { return s.view.NDim() }

// Len returns the length of an axis, which does not count from the end.
func (s shaped) Len(axis int) int { return s.view.Len(axis) }

// Shape returns the length of every axis in a new slice.
func (s shaped) Shape() []int { return s.view.Shape() }

// Strides returns the strides of every axis, in bytes, in a new slice.
func (s shaped) Strides() []int { return s.view.Strides() }

// Layout returns the shape and the strides.
func (s shaped) Layout() index.Layout { s.view.MustBeSet(); return s.view.Layout }

// Size returns the number of elements.
func (s shaped) Size() int { return s.view.Size() }

// ItemSize returns the number of bytes of one element, which may be 0.
func (s shaped) ItemSize() int { return s.view.ItemSize() }

// NBytes returns Size times ItemSize: the bytes of the elements in a file.
func (s shaped) NBytes() int { return s.view.NBytes() }

// ReadOnly reports whether writing panics with [ErrReadOnly].
func (s shaped) ReadOnly() bool { return s.view.ReadOnly() }

// Contiguous reports whether elements are one piece of memory without gaps in order C, F, or K, any. Those of several
// arrays (see [Stack]) are not.
func (s shaped) Contiguous(order index.Order) bool { return s.view.Contiguous(order) }
