package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// FileOrder returns the order, C or F, in which c is written to a file for the given one:
// for K that is F where c is F contiguous and not C, as numpy.save has it.
func (c Array) FileOrder(order index.Order) index.Order {
	c.MustBeSet()
	if order != index.K {
		return order
	}
	if c.isLaidOut(index.F) && !c.isLaidOut(index.C) {
		return index.F
	}
	return index.C
}

// Clone returns a copy of c in memory of Go's.
func (c Array) Clone(order index.Order) (Array, error) {
	d, err := c.Compact(order)
	if err != nil {
		return Array{}, err
	}
	return d, Copy(d, c)
}

// Compact returns an array like c in memory of Go's, for a copy of it.
func (c Array) Compact(order index.Order) (Array, error) {
	el := c.MustBeSet()
	lay, err := c.Layout.Compact(el.DType.ItemSize(), order)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", Prefix(el.Mem.Path), err)
	}
	return OnBytes(strided.Alloc(c.Layout.Size()*el.DType.ItemSize()), el.DType, lay)
}
