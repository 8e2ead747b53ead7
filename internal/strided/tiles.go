package strided

import (
	"cmp"
	"slices"

	"github.com/ndmap/ndmap/index"
)

// TileBytes returns the maximum number of bytes of pages of a tile. It depends on the memory that is available now.
func TileBytes() int { return min(max(availableMemory()/tilesInMemory, minTileBytes), maxTileBytes) }

// eachTile cuts dst and src, which have the same shape, into tiles with up to tileBytes() bytes of pages on each
// side, and calls f with each tile in turn, until f returns an error. It returns that error. Either side may have
// more pages if the opposite side has fewer. If tileBytes falls to half of its first result, eachTile divides the
// remaining tiles into smaller ones.
//
// While f works on a tile, eachTile prefetches the pages of the next one: of dst if readsDst is true, and of src if
// readsSrc is true. It releases the pages of each tile after the call, unless there is only one tile. If dst and src
// lie in different orders, this reads each page about once.
func eachTile(dst, src Piece, readsDst, readsSrc bool, tileBytes func() int, f func(dst, src Piece) error) error {
	return eachTileOf(dst, src, false, readsDst, readsSrc, tileBytes, f)
}

// eachTileOf does the work of eachTile. isTile says that dst and src are a tile themselves, so their pages are
// released even if they fit in memory.
func eachTileOf(dst, src Piece, isTile, readsDst, readsSrc bool, tileBytes func() int, f func(dst,
	src Piece) error) error {
	size, short := tileBytes(), false
	g := newGrid(dst.Layout, tileShape(dst, src, size, readsDst), AxesByStride(dst.Layout))
	p := Pass{Parts: g.tiles, InTurn: true}
	whole := []Piece{src, dst}
	if !readsDst { // dst is walked in the order of its memory, or is not a file
		whole = whole[:1]
	}
	afterDst, afterSrc := WriteBack, Release
	if g.tiles == 1 && !isTile { // all pages fit in memory
		afterDst, afterSrc = Keep, Keep
	}
	p.PageByPart(func(k int, visit func(q Piece, after After)) {
		at := g.position(k)
		if readsDst && !short {
			visit(g.tile(dst, at), afterDst)
		}
		if readsSrc && !short {
			visit(g.tile(src, at), afterSrc)
		}
	}, whole...)
	return p.Run(func(k int, _ *Failure) error {
		at := g.position(k)
		d, s := g.tile(dst, at), g.tile(src, at)
		if short = short || tileBytes() <= size/2; short && d.Layout.Size() > 1 {
			return eachTileOf(d, s, true, readsDst, readsSrc, tileBytes, f)
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

// newGrid returns a grid of tiles of a shape over arrays with the shape of lay.
func newGrid(lay index.Layout, shape, axes []int) grid {
	g := grid{shape: shape, axes: axes, tiles: 1}
	for axis, n := range shape {
		g.counts = append(g.counts, ceilDiv(lay.Len(axis), max(1, n)))
		g.tiles *= g.counts[axis]
	}
	return g
}

// position returns the position of tile k along each axis.
func (g *grid) position(k int) []int {
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
		p = p.selectAlong(axis, index.Range(i*n, min((i+1)*n, p.Layout.Len(axis))))
	}
	return p
}

// tileShape returns the shape of the tiles in which to copy src to dst. Each side of a tile should have about tileBytes
// bytes of pages, and there must be memory for the next tile as well. readsDst tells whether pages of dst are read. If
// dst has fewer pages, src may have more. Then the runs of src are longer, so that fewer of its pages lie at the ends
// of runs and are read for two tiles.
func tileShape(dst, src Piece, tileBytes int, readsDst bool) []int {
	// A page at the border of a tile of src is read twice. A page of dst is mostly still in memory, but each run of dst is
	// a system call, and may be a request to the disk if dst is read.
	runWeight := 1.0 / 8
	if readsDst {
		runWeight = 1.0 / 2
	}
	axes := AxesByStride(src.Layout)
	slices.Reverse(axes)
	s := shapeSearch{
		dst: dst, src: src, partner: axisNumbers(src.Layout.NDim()),
		fits: func(dst, src Piece) bool {
			dstPages, srcPages := pageBytesOf(dst.Layout, dst.ItemSize), pageBytesOf(src.Layout, src.ItemSize)
			if readsDst {
				return dstPages+srcPages <= 2*tileBytes
			}
			// The next tile of dst has no pages in memory yet, but a tile of src may be gathered in a buffer.
			return dstPages+3*srcPages <= 5*tileBytes
		},
		cost: func(dst, src Piece) float64 {
			runs := spansOf(dst.Layout, dst.ItemSize, 1, 0)
			requests := float64(runs.count()) * float64(runs.run+pageBytes) // may overflow an int of 32 bits
			return (float64(pageBytesOf(src.Layout, src.ItemSize)) + runWeight*requests) / float64(dst.Layout.Size())
		},
	}
	shape := s.grow(s.trade(s.halve(dst.Layout.Shape()), axes), axes)
	for axis, n := range shape { // tiles of equal length
		length := dst.Layout.Len(axis)
		shape[axis] = ceilDiv(length, max(1, ceilDiv(length, max(1, n))))
	}
	return shape
}

// A shapeSearch looks for a good shape of tiles of dst and src. Its methods take a shape and return a better one.
type shapeSearch struct {
	dst, src Piece
	partner  []int                        // for each axis, the axis that has the same length in a tile; or itself
	fits     func(dst, src Piece) bool    // whether there is memory for a tile
	cost     func(dst, src Piece) float64 // bytes of pages to read and request, per element; for trade
}

func (s *shapeSearch) tile(shape []int) (dst, src Piece) {
	return s.dst.firstTile(shape), s.src.firstTile(shape)
}

// resized returns shape with length n along axis and its partner.
func (s *shapeSearch) resized(shape []int, axis, n int) []int {
	shape = slices.Clone(shape)
	shape[axis] = min(n, s.dst.Layout.Len(axis))
	shape[s.partner[axis]] = shape[axis]
	return shape
}

// halve halves axes until a tile fits, or has one element.
func (s *shapeSearch) halve(shape []int) []int {
	for {
		dst, src := s.tile(shape)
		if dst.Layout.Size() < 2 || s.fits(dst, src) {
			return shape
		}
		axis := HalvedAxis(dst, src)
		shape = s.resized(shape, axis, (shape[axis]+1)/2)
	}
}

// trade doubles the length along one axis and halves it along another, as long as that costs less.
func (s *shapeSearch) trade(shape, axes []int) []int {
	best := s.cost(s.tile(shape))
	for better := shape; better != nil; {
		shape, better = better, nil
		for _, longer := range axes {
			for _, shorter := range axes {
				next := s.resized(shape, longer, 2*shape[longer])
				if longer == shorter || next[longer] == shape[longer] {
					continue
				}
				next = s.resized(next, shorter, (shape[shorter]+1)/2)
				dst, src := s.tile(next)
				if cost := s.cost(dst, src); cost < best && s.fits(dst, src) {
					best, better = cost, next
				}
			}
		}
	}
	return shape
}

// grow makes tiles longer as long as they fit, first along the first of the axes. A shape that was halved may be much
// smaller than what fits.
func (s *shapeSearch) grow(shape, axes []int) []int {
	for _, axis := range axes {
		for {
			longer := s.resized(shape, axis, shape[axis]+shape[axis]/8+1)
			if longer[axis] == shape[axis] || !s.fits(s.tile(longer)) {
				break
			}
			shape = longer
		}
	}
	return shape
}

// firstTile returns the first tile of p with the given shape. It changes only the layout: the first element stays
// first.
func (p Piece) firstTile(shape []int) Piece {
	for axis, n := range shape {
		p.Layout, _ = selectAlong(p.Layout, axis, index.Range(0, n))
	}
	return p
}

// AxesByStride returns the axes of a layout by descending absolute value of their strides, which is order K.
func AxesByStride(lay index.Layout) []int {
	axes := axisNumbers(lay.NDim())
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(abs(lay.Stride(b)), abs(lay.Stride(a))) })
	return axes
}

// axisNumbers returns the numbers 0 to n-1.
func axisNumbers(n int) []int {
	axes := make([]int, n)
	for k := range axes {
		axes[k] = k
	}
	return axes
}

// HalvedAxis returns the axis along which to halve pieces of one shape so that the halves have the fewest pages. The
// pieces have at least two elements. Only their layouts and item sizes matter.
func HalvedAxis(pieces ...Piece) (axis int) {
	fewest, first := -1, pieces[0].Layout
	for k := range first.NDim() {
		n := first.Len(k)
		if n < 2 {
			continue
		}
		pages := 0
		for i := range pieces {
			half, _ := selectAlong(pieces[i].Layout, k, index.Range(0, n/2))
			pages += pageBytesOf(half, pieces[i].ItemSize)
		}
		if fewest < 0 || pages < fewest || pages == fewest && n > first.Len(axis) {
			fewest, axis = pages, k
		}
	}
	return axis
}
