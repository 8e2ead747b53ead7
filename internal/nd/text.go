package nd

import (
	"github.com/ndmap/ndmap/internal/strided"
)

// ElementBytes returns the memory of the element off bytes from the first one.
func (c *Array) ElementBytes(off int) []byte {
	return strided.Slice[byte](c.address(off), c.Store.DType.ItemSize())
}
