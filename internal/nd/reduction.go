package nd

import (
	"github.com/ndmap/ndmap/index"
)

// RangeOf returns n indices along an axis, from i on.
func RangeOf(lay index.Layout, axis, i, n int) (index.Layout, int, error) {
	sel := make([]index.Selector, axis+1) // colons
	sel[axis] = index.Range(i, i+n)
	return lay.Select(sel...)
}

// AtAxis returns c at position i of an axis.
func (c *Array) AtAxis(axis, i int) Array {
	sel := make([]index.Selector, axis+1) // colons
	sel[axis] = index.At(i)
	return Must(c.Derive(c.Layout.Select(sel...)))
}
