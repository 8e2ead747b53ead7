package nd

import (
	"github.com/ndmap/ndmap/internal/elem"
)

// Raw returns c with its elements as bytes, which is how it is read.
func (c Array) Raw() Array {
	return Must(c.Retype(func(c Array) (Array, error) {
		with := *c.Store
		with.Size, with.Converts = with.DType.ItemSize(), false
		with.Decode = elem.Repeat(with.Size)
		c.Store, c.Read, c.Write = &with, InPlace, NoWrite
		return c, nil
	}))
}

// BroadcastBoth returns two views with the shape that both broadcast to.
func BroadcastBoth(a, b Array) (Array, Array, error) {
	shape, other := a.Shape(), b.Shape()
	if len(shape) < len(other) {
		shape, other = other, shape
	}
	for k, n := range other {
		if at := len(shape) - len(other) + k; shape[at] == 1 {
			shape[at] = n
		}
	}
	x, err := a.Broadcast(shape)
	if err != nil {
		return a, b, err
	}
	y, err := b.Broadcast(shape)
	return x, y, err
}
