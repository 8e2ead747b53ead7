package nd

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// InMemoryOrder returns c with its axes in the order of their strides, all upwards.
func (c Array) InMemoryOrder() Array { return c.inOrderOf(c.Layout) }

// inOrderOf returns c with its axes changed as those of lay, which has the same shape, for that
// to be in memory order.
func (c Array) inOrderOf(lay index.Layout) Array { return Must(c.Derive(orderOf(lay)(c.Layout))) }

// orderOf returns what changes the axes of a layout so, and returns where its first element is then.
func orderOf(lay index.Layout) func(index.Layout) (index.Layout, int, error) {
	axes := strided.AxesByStride(lay)
	sel := make([]index.Selector, len(axes))
	for k, axis := range axes {
		if lay.Stride(axis) < 0 {
			sel[k] = index.Step(index.Omit, index.Omit, -1)
		}
	}
	return func(lay index.Layout) (index.Layout, int, error) {
		sorted, err := lay.Transpose(axes...)
		if err != nil {
			return lay, 0, err
		}
		return sorted.Select(sel...)
	}
}

func abs(i int) int { return max(i, -i) }
