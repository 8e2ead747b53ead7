package plane

import (
	"github.com/ndmap/ndmap/index"
)

// A sampling describes which elements of a pixel are read along one axis: n elements at a distance of step.
type sampling struct{ n, step int }

func (t sampling) selector() index.Selector { return index.Range(0, (t.n-1)*t.step+1).Every(t.step) }

// A plan describes which elements are read for the pixels of a tile. If coarse > 1, the first element of one pixel
// represents coarse × coarse pixels.
type plan struct {
	y, x   sampling
	coarse int
}

// A grid is rows × cols pixels of py × px elements, each with channels values. The pixels of the last row and column
// may have fewer elements.
type grid struct {
	rows, py, cols, px, channels int
	strides                      []int // strides of the rows, columns and channels of elements
	itemSize                     int
}

// sampleRun is the number of elements read per pixel if each pixel is on a page of its own.
const sampleRun = 16

// plan returns a plan that reads all elements, or else as many as the budget allows.
func (g grid) plan(how How, b budget) plan {
	if how == Sample {
		p := plan{sampling{1, 1}, sampling{1, 1}, 1}
		return g.coarsen(p, b)
	}
	p := plan{sampling{g.py, 1}, sampling{g.px, 1}, 1}
	if b.allows(g.dims(p), g.itemSize) {
		return p
	}
	// Read whole runs along the axis with the smaller stride, for as many lines of a pixel as possible, or else a short
	// run in each pixel.
	q := plan{sampling{1, 1}, sampling{1, 1}, 1}
	along, across, pixel := &q.x, &q.y, g.py
	if along.n = g.px; g.strides[0] < g.strides[1] {
		along, across, pixel = &q.y, &q.x, g.px
		q.x.n, along.n = 1, g.py
	}
	for n := (pixel + 1) / 2; ; n = (n + 1) / 2 {
		*across = sampling{n, pixel / n}
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

// coarsen increases p.coarse until the budget allows p.
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

// flags returns the flags of pixels read by p. The result contains Partial if better, the plan for a refined request,
// reads more elements.
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
