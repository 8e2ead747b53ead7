package array

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// IsZero reports whether this is the zero value, which stands for no array.
// Using that in any other way panics with a message that says so.
func (c core) IsZero() bool { return c.o == nil }

// some panics for the zero value.
func (c *core) some() *origin {
	if c.o == nil {
		panic((*origin)(nil).refusal(noAccess))
	}
	return c.o
}

// DType is the type of the elements.
func (c core) DType() dtype.DType { return c.some().dtype }

// NDim is the number of dimensions.
func (c core) NDim() int { c.some(); return c.lay.NDim() }

// Dim is the length of an axis. It panics if there is no such axis.
func (c core) Dim(axis int) int { c.some(); return c.lay.Len(axis) }

// Shape is the length of every axis. It allocates.
func (c core) Shape() []int { c.some(); return c.lay.Shape() }

// Strides is the distance in bytes from one element to the next along every
// axis. It allocates.
func (c core) Strides() []int { c.some(); return c.lay.Strides() }

// Layout is the shape and the strides.
func (c core) Layout() index.Layout { c.some(); return c.lay }

// Size is the number of elements.
func (c core) Size() int { c.some(); return c.lay.Size() }

// ItemSize is the number of bytes of one element.
func (c core) ItemSize() int { return c.some().dtype.ItemSize() }

// NBytes is the number of bytes that the elements would take without gaps. For
// broadcast views that is more than there are.
func (c core) NBytes() int { return c.Size() * c.ItemSize() }

// ReadOnly reports whether writing is refused.
func (c core) ReadOnly() bool { c.some(); return c.save == denied }

// Contiguous reports whether the elements follow one another without gaps in
// order C or F, or for K in some order of the axes. As in NumPy, axes of length 1
// do not matter, and an array without elements is contiguous.
func (c core) Contiguous(order index.Order) bool {
	return c.lay.Contiguous(order, c.some().dtype.ItemSize())
}
