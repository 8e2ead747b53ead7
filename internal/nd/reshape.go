package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
)

func Must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}

func (c Array) Reshape(shape []int) (Array, error) {
	c.MustBeSet()
	r, err := c.Relayout(c.Layout.Reshape(shape, c.ItemSize()))
	if err == nil && !r.Store.IsWhole() {
		if r, err = r.MustNotStraddle(); err != nil {
			return r, fmt.Errorf("%s%w", Prefix(c.Store.Mem.Path), err)
		}
	}
	return r, err
}

func (c Array) Broadcast(shape []int) (Array, error) {
	c.MustBeSet()
	lay, err := c.Layout.Broadcast(shape...)
	if err == nil {
		_, _, err = index.Size(shape, c.ItemSize()) // NBytes must fit an int
	}
	c, err = c.Derive(lay, 0, err)
	if err == nil {
		c.Write = NoWrite
	}
	return c, err
}

// Relayout is c with a layout made of its own that starts at the same element.
func (c Array) Relayout(lay index.Layout, err error) (Array, error) { return c.Derive(lay, 0, err) }
