package nd

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Blocks begins to walk through c for a loop over blocks.
func (c *Array) Blocks(order index.Order, ahead strided.Ahead) (w Cursor) {
	checkOrder(order)
	w.blocks, w.Ahead = true, ahead
	w.Walk(c, order)
	return w
}
