package nd

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// DecodeTo writes the elements of c to buf in C order, as Go values.
func (c *Array) DecodeTo(buf []byte) {
	size := c.Store.Size
	if !c.Store.IsWhole() {
		size = c.Store.Joined.Parts[0].Store.Size
	}
	b := Must(OnBytes(buf, dtype.Void(size), Must(c.Layout.Compact(size, index.C))))
	Must(0, forPairs(b, *c, func(b, c Array) error { return strided.Copy(b.Piece(), c.Piece(), &c.Store.Decode) }))
}
