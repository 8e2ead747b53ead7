package plane

import (
	"github.com/ndmap/ndmap/index"
)

// A take says which of the elements of a pixel are read along an axis: n, in steps.
type take struct{ n, step int }

func (t take) selector() index.Selector { return index.Range(0, (t.n-1)*t.step+1).Every(t.step) }

// A plan says what is read for the pixels of a tile. With coarse over 1 one pixel in so many, in
// either direction, stands for all of them by its first element.
type plan struct {
	y, x   take
	coarse int
}

// A grid is pixels of py × px elements, rows × cols of them, and channels. The last ones in either
// direction may have fewer elements.
type grid struct {
	rows, py, cols, px, channels int
	strides                      []int // of rows, columns and channels of elements
	itemSize                     int
}

// sampleRun is how many elements are read where each pixel is a page of its own.
const sampleRun = 16

// plan returns what to read: everything, or else as much as the budget allows.
func (g grid) plan(how How, b budget) plan {
	if how == Sample {
		p := plan{take{1, 1}, take{1, 1}, 1}
		return g.coarsen(p, b)
	}
	p := plan{take{g.py, 1}, take{g.px, 1}, 1}
	if b.allows(g.dims(p), g.itemSize) {
		return p
	}
	// Lines of the memory, as many as can be; or a run in each pixel.
	q := plan{take{1, 1}, take{1, 1}, 1}
	along, across, pixel := &q.x, &q.y, g.py
	if along.n = g.px; g.strides[0] < g.strides[1] {
		along, across, pixel = &q.y, &q.x, g.px
		q.x.n, along.n = 1, g.py
	}
	for n := (pixel + 1) / 2; ; n = (n + 1) / 2 {
		*across = take{n, pixel / n}
		if b.allows(g.dims(q), g.itemSize) {
			return q
		}
		if n == 1 {
			break
		}
	}
	if along.n = min(along.n, sampleRun); b.allows(g.dims(q), g.itemSize) {
		return q
	}
	along.n = 1
	return g.coarsen(q, b)
}

// coarsen returns p for fewer pixels, as many as the budget allows.
func (g grid) coarsen(p plan, b budget) plan {
	for p.coarse < Side && !b.allows(g.dims(p), g.itemSize) {
		p.coarse *= 2
	}
	return p
}

// dims returns the dimensions of the elements that the plan reads.
func (g grid) dims(p plan) []index.Dim {
	sy, sx := g.strides[0], g.strides[1]
	return []index.Dim{
		{Len: (g.rows + p.coarse - 1) / p.coarse, Stride: sy * g.py * p.coarse},
		{Len: p.y.n, Stride: sy * p.y.step},
		{Len: (g.cols + p.coarse - 1) / p.coarse, Stride: sx * g.px * p.coarse},
		{Len: p.x.n, Stride: sx * p.x.step},
		{Len: g.channels, Stride: g.strides[2]},
	}
}

// flags returns what pixels of g are by this plan, where they could be had by the better one.
func (g grid) flags(p, better plan) Flags {
	f := Sampled
	if p.coarse == 1 && p.y.n == g.py && p.x.n == g.px {
		f = Exact
	}
	if p != better {
		f |= Partial
	}
	return f
}
