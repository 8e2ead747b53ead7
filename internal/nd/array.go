package nd

import (
	"github.com/ndmap/ndmap/internal/strided"
)

// Index sets part to the part of c at position i of its first axis; part may be c itself. It does not return
// the view: that would be stored in words of 8 bytes and copied in words of 16, which wait for those stores.
func (c *Array) Index(i int, part *Array) {
	el, lay := c.MustBeSet(), c.Layout
	if !el.IsWhole() {
		*part = c.sub(lay.Index(i))
		return
	}
	lay, off := lay.Index(i)
	if lay.Size() == 0 {
		off = 0 // no elements, and maybe no memory there
	}
	part.P, part.Layout, part.Store, part.Read, part.Write = strided.Add(c.P, off), lay, el, c.Read, c.Write
}
