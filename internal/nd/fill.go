package nd

import (
	"github.com/ndmap/ndmap/internal/strided"
)

// Fill makes the Go value at x every element of c.
func (c Array) Fill(x pointer) {
	if !c.IsWhole() {
		axis := c.PartAxis()
		for i := 0; i < c.Layout.Len(axis); { // no closure, with which x would escape
			run := c.Within(axis, i)
			c.run(axis, i, run).Fill(x)
			i += max(1, run)
		}
		return
	}
	strided.Fill(c.Piece(), x, &c.Store.Encode)
}

// FewElements is up to how many elements a plain loop fills in less time than it takes to
// find out how to do better.
const FewElements = 32
