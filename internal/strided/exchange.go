package strided

import (
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// exchangedAxes returns the permutation of the axes of dst that yields src, if both consist of the same elements and
// the permutation only exchanges pairs of axes of equal length. Transposing a square matrix in place is an example.
// Otherwise exchangedAxes returns nil.
func exchangedAxes(dst, src Piece) []int {
	n := dst.Layout.NDim()
	if dst.P != src.P || dst.ItemSize != src.ItemSize {
		return nil
	}
	perm := make([]int, n)
	for k := range n {
		perm[k] = -1
		for j := range n {
			if slices.Contains(perm[:k], j) || dst.Layout.Len(j) != dst.Layout.Len(k) {
				continue
			}
			stride := dst.Layout.Stride(j)
			if dst.Layout.Len(k) == 1 || stride != 0 && stride == src.Layout.Stride(k) {
				perm[k] = j
				break
			}
		}
		if perm[k] < 0 {
			return nil
		}
	}
	for k, j := range perm {
		if perm[j] != k {
			return nil
		}
	}
	return perm
}

// transposeInPlace transposes dst in place: src is a view of the same elements with axes exchanged, and perm is the
// result of exchangedAxes. It swaps pairs of tiles through a buffer of one tile. If pages of dst are not in memory,
// transposeInPlace prefetches them and writes them back.
func transposeInPlace(dst, src Piece, perm []int, c *elem.Codec) error {
	cold, limit := dst.coldSpans(true) != nil, exchangeTileBytes
	if cold {
		limit = TileBytes()
	}
	return exchangeTiles(dst, src, perm, cold, limit, c)
}

// exchangeTiles does the work of transposeInPlace in tiles with up to limit bytes of pages on each side. If cold is
// true, it prefetches the pages and writes them back.
func exchangeTiles(dst, src Piece, perm []int, cold bool, limit int, c *elem.Codec) error {
	g, pairs := exchangedTiles(dst.Layout, exchangeShape(dst, src, perm, limit), perm)
	pass := Pass{Parts: len(pairs), InTurn: true}
	if cold {
		pass.PageByPart(func(k int, visit func(q Piece, after After)) {
			visit(g.tile(dst, pairs[k][0]), WriteBack)
			visit(g.tile(src, pairs[k][0]), WriteBack)
		}, dst)
	}
	var buf []byte
	same, codec := elem.Repeat(src.ItemSize), *c
	return pass.Run(func(k int, _ *Failure) error {
		pos, other := pairs[k][0], pairs[k][1]
		d, s := g.tile(dst, pos), g.tile(src, pos)
		n := s.Layout.Size() * s.ItemSize
		if buf == nil {
			buf = Alloc(n) // the first tile is the largest
		}
		lay, err := index.NewLayout(s.Layout.Shape(), s.ItemSize, index.C)
		if err != nil {
			return err
		}
		tmp := PieceOn(buf, lay, s.ItemSize)
		CopyTile(tmp, s, &same)
		if !slices.Equal(pos, other) {
			CopyTile(g.tile(dst, other), g.tile(src, other), &codec)
		}
		CopyTile(d, tmp, &codec)
		return nil
	})
}

// exchangeShape returns the shape of the largest tiles with up to limit bytes of pages on each side.
func exchangeShape(dst, src Piece, perm []int, limit int) []int {
	s := shapeSearch{dst: dst, src: src, partner: perm, fits: func(dst, src Piece) bool {
		return max(pageBytesOf(dst.Layout, dst.ItemSize), pageBytesOf(src.Layout, src.ItemSize)) <= limit
	}}
	return s.grow(s.halve(dst.Layout.Shape()), axisNumbers(len(perm)))
}

// exchangedTiles cuts a layout into tiles of the given shape. It returns the grid of tiles, and the positions of the
// pairs of tiles to swap, each pair once. Axes that are not exchanged change slowest, so that tiles that share pages
// follow each other.
func exchangedTiles(lay index.Layout, shape, perm []int) (g grid, pairs [][2][]int) {
	var fixed, moved []int
	for axis, j := range perm {
		if j == axis {
			fixed = append(fixed, axis)
		} else {
			moved = append(moved, axis)
		}
	}
	g = newGrid(lay, shape, append(fixed, moved...))
	for k := range g.tiles {
		pos, other := g.position(k), make([]int, len(perm))
		for axis := range other {
			other[axis] = pos[perm[axis]]
		}
		if slices.Compare(pos, other) <= 0 {
			pairs = append(pairs, [2][]int{pos, other})
		}
	}
	return g, pairs
}
