package strided

import (
	"cmp"
	"slices"

	"github.com/ndmap/ndmap/index"
)

// Tiles calls f with parts of dst and src that are the same elements of both and together all of them, in turn. The
// pages of each part of src that are not in memory are being read since before the call with the part before it, and
// leave again after the call, if there are several parts. It returns the first error of f.
//
// A part has pages of src of about a sixth of the memory that the process may take, but not many more than 64 MiB,
// and of dst of twice as much, or more of one and less of the other; for two that lie in different orders it is a
// tile. So each page is read about once.
func Tiles(dst, src Piece, f func(dst, src Piece) error) error {
	most := func() int { return min(TileBytes()/3*4, mostTile) }
	return tiles(dst, src, false, true, most, f)
}

// TileBytes returns how many bytes of pages a tile has at most.
func TileBytes() int { return min(max(memory()/tilesInMemory, leastTile), mostTile) }

// tiles is Tiles where the pages of dst, of src or of both are prefetched, in tiles with at most most() bytes of pages.
// If less memory is left than there was, it divides a tile into smaller ones.
func tiles(dst, src Piece, ofDst, ofSrc bool, most func() int, f func(dst, src Piece) error) error {
	return tilesOf(dst, src, false, ofDst, ofSrc, most, f)
}

// tilesOf is tiles of whole pieces, or, if isTile is true, of a tile, whose pages are released even if it fits in
// memory.
func tilesOf(dst, src Piece, isTile, ofDst, ofSrc bool, most func() int, f func(dst, src Piece) error) error {
	size, tight := most(), false
	g := newGrid(dst.Layout, tileShape(dst, src, size, ofDst), AxesByStride(dst.Layout))
	p := Pass{Parts: g.tiles, InTurn: true}
	whole := []Piece{src, dst}
	if !ofDst { // dst is walked through in its order, or no file
		whole = whole[:1]
	}
	afterDst, afterSrc := WriteBack, Release
	if g.tiles == 1 && !isTile { // it fits in memory
		afterDst, afterSrc = Keep, Keep
	}
	p.PageByPart(func(k int, visit func(q Piece, after After)) {
		at := g.at(k)
		if ofDst && !tight {
			visit(g.tile(dst, at), afterDst)
		}
		if ofSrc && !tight {
			visit(g.tile(src, at), afterSrc)
		}
	}, whole...)
	return p.Run(func(k int, _ *Failure) error {
		at := g.at(k)
		d, s := g.tile(dst, at), g.tile(src, at)
		if tight = tight || most() <= size/2; tight && d.Layout.Size() > 1 {
			return tilesOf(d, s, true, ofDst, ofSrc, most, f)
		}
		return f(d, s)
	})
}

// A grid cuts arrays of one shape into tiles.
type grid struct {
	shape  []int // of a tile; tiles at the end of an axis may be smaller
	counts []int // the number of tiles along each axis
	axes   []int // the order of the tiles: the position along the last of these axes changes first
	tiles  int
}

func newGrid(lay index.Layout, shape, axes []int) grid {
	g := grid{shape: shape, axes: axes, tiles: 1}
	for axis, n := range shape {
		g.counts = append(g.counts, (lay.Len(axis)+n-1)/max(1, n))
		g.tiles *= g.counts[axis]
	}
	return g
}

// at returns the position of tile k along each axis.
func (g *grid) at(k int) []int {
	at := make([]int, len(g.counts))
	for _, axis := range slices.Backward(g.axes) {
		at[axis], k = k%g.counts[axis], k/g.counts[axis]
	}
	return at
}

// tile returns the tile of p at a position.
func (g *grid) tile(p Piece, at []int) Piece {
	for axis, i := range at {
		n := g.shape[axis]
		p = p.along(axis, index.Range(i*n, min((i+1)*n, p.Layout.Len(axis))))
	}
	return p
}

// tileShape returns the shape of tiles, for each of which there is room for as many pages of either side as most
// says, and of the next one as well. If pages of dst are not read, those of the next are not there yet, but what a
// tile is gathered in may be. Where one side has fewer pages, the other may have more: then runs of src are longer,
// and fewer of its pages are at their ends, and read for two tiles.
func tileShape(dst, src Piece, most int, ofDst bool) []int {
	shape := dst.Layout.Shape()
	parts := func(shape []int) (d, s Piece) { return dst.first(shape), src.first(shape) }
	fits := func(shape []int) bool {
		d, s := parts(shape)
		dpages, spages := pagesOf(d.Layout, d.ItemSize), pagesOf(s.Layout, s.ItemSize)
		if ofDst {
			return dpages+spages <= 2*most
		}
		return dpages+3*spages <= 5*most
	}
	for !fits(shape) {
		d, s := parts(shape)
		if d.Layout.Size() < 2 {
			break
		}
		axis := HalvedAxis(d, s)
		shape[axis] = (shape[axis] + 1) / 2
	}
	inner := AxesByStride(src.Layout)
	slices.Reverse(inner)
	// A page at the border of a tile of src is read twice, and one of dst is mostly there still; but each run of dst is a
	// system call, or, if dst is read, may be a request.
	weight := 1.0 / 8
	if ofDst {
		weight = 1.0 / 2
	}
	cost := func(shape []int) float64 {
		d, s := parts(shape)
		runs := spansOf(d.Layout, d.ItemSize, 1, 0)
		requests := float64(runs.count()) * float64(runs.run+pageBytes) // may be more than an int of 32 bits counts
		return (float64(pagesOf(s.Layout, s.ItemSize)) + weight*requests) / float64(d.Layout.Size())
	}
	for best := cost(shape); ; { // twice as long in one direction, and half as long in another
		var better []int
		for _, longer := range inner {
			for _, shorter := range inner {
				next := slices.Clone(shape)
				next[longer] = min(2*next[longer], dst.Layout.Len(longer))
				next[shorter] = (next[shorter] + 1) / 2
				if longer != shorter && next[longer] > shape[longer] && fits(next) && cost(next) < best {
					best, better = cost(next), next
				}
			}
		}
		if better == nil {
			break
		}
		shape = better
	}
	for grown := true; grown; { // a half may be much less than what fits: longer runs of src, which are read, first
		grown = false
		for _, axis := range inner {
			longer := slices.Clone(shape)
			longer[axis] = min(longer[axis]+longer[axis]/8+1, dst.Layout.Len(axis))
			if longer[axis] > shape[axis] && fits(longer) {
				shape, grown = longer, true
				break
			}
		}
	}
	for axis, n := range shape {
		whole := dst.Layout.Len(axis)
		parts := max(1, (whole+n-1)/max(1, n))
		shape[axis] = (whole + parts - 1) / parts
	}
	return shape
}

// first returns the first tile of p of a shape.
func (p Piece) first(shape []int) Piece {
	for axis, n := range shape {
		p.Layout, _ = part(p.Layout, axis, index.Range(0, n))
	}
	return p
}

// AxesByStride returns the axes of a layout in the order K: those with the largest strides, whatever their sign, first.
func AxesByStride(lay index.Layout) []int {
	axes := make([]int, lay.NDim())
	for k := range axes {
		axes[k] = k
	}
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(abs(lay.Stride(b)), abs(lay.Stride(a))) })
	return axes
}

// HalvedAxis returns the axis at which to halve pieces of one shape, of more than one element, so that the halves are
// on the fewest pages. Only the layouts and item sizes of the pieces matter.
func HalvedAxis(pieces ...Piece) (axis int) {
	least, shape := -1, pieces[0].Layout
	for k := range shape.NDim() {
		n := shape.Len(k)
		if n < 2 {
			continue
		}
		pages := 0
		for i := range pieces {
			half, _ := part(pieces[i].Layout, k, index.Range(0, n/2))
			pages += pagesOf(half, pieces[i].ItemSize)
		}
		if least < 0 || pages < least || pages == least && n > shape.Len(axis) {
			least, axis = pages, k
		}
	}
	return axis
}
