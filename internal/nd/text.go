package nd

import (
	"fmt"
	"io/fs"
	"sync/atomic"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/render"
	"github.com/ndmap/ndmap/internal/strided"
)

// Shown returns the array that is printed for c, which has elements of its dtype.
func (c Array) Shown() render.Array {
	return render.Array{DType: c.Store.DType, Shape: c.Layout.Shape(), Append: func(dst []byte,
		sel []index.Selector) ([]byte,
		error) {
		part, err := c.Derive(c.Layout.Select(sel...))
		if err != nil {
			return dst, err
		}
		part.WantFew()
		part, err = part.Clone(index.C)
		if err != nil {
			return dst, err
		}
		return append(dst, strided.Slice[byte](part.P, part.NBytes())...), nil
	}, Element: func(idx []int) ([]byte, error) { return c.ElementBytes(c.Layout.Offset(idx...)), nil }}
}

// WantFew has the pages of c read, and no others: some elements that are printed, which may be far from the next.
func (c Array) WantFew() {
	if c.Store.IsWhole() {
		c.Piece().Prefetch(strided.WhereCold)
	}
}

// OrderText returns the order of the elements, or their strides where they are not
// contiguous.
func (c Array) OrderText(sep string) string {
	for _, order := range []index.Order{index.C, index.F} {
		if c.isLaidOut(order) {
			return "order" + sep + order.String()
		}
	}
	return "strides" + sep + Tuple(c.Layout.Strides())
}

// IsClosed returns an error if memory of c is gone.
func (c Array) IsClosed() error {
	for _, mem := range c.memories() {
		if mem.Closed != nil && atomic.LoadUint32(mem.Closed) != 0 || mem.File != nil && mem.File.Bytes() == nil {
			return fmt.Errorf("%s%w", Prefix(mem.Path), fs.ErrClosed)
		}
	}
	return nil
}

// ElementBytes returns the memory of the element off bytes from the first one.
func (c *Array) ElementBytes(off int) []byte {
	return strided.Slice[byte](c.address(off), c.Store.DType.ItemSize())
}
