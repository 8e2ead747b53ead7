package strided

import (
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// exchanged returns the permutation that makes src of the axes of dst, if the two are the same elements and pairs of
// axes of one length are exchanged, as in a square matrix that is transposed in place. Otherwise it returns nil.
func exchanged(dst, src Piece) []int {
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
			if alone := dst.Layout.Len(k) == 1; alone || dst.Layout.Stride(j) == src.Layout.Stride(k) &&
				dst.Layout.Stride(j) != 0 {
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

// exchange is Copy of src to dst where perm is what exchanged has returned. Tiles that change places do so by pairs,
// by way of a buffer for one. Where elements are on a disk, pages leave behind, and the next are being read.
func exchange(dst, src Piece, perm []int, c *elem.Codec) error {
	cold, most := dst.coldSpans(true) != nil, exchangeBytes
	if cold {
		most = TileBytes()
	}
	return exchangeTiles(dst, src, perm, cold, most, c)
}

// exchangeTiles is exchange in tiles with so many bytes of pages on either side at most.
func exchangeTiles(dst, src Piece, perm []int, cold bool, most int, c *elem.Codec) error {
	shape := dst.Layout.Shape()
	half := func(k int) { shape[k] = (shape[k] + 1) / 2 }
	fits := func(shape []int) bool {
		d, s := dst.first(shape), src.first(shape)
		return d.Layout.Size() < 2 || max(pagesOf(d.Layout, d.ItemSize), pagesOf(s.Layout, s.ItemSize)) <= most
	}
	for !fits(shape) {
		axis := HalvedAxis(dst.first(shape), src.first(shape))
		if half(axis); perm[axis] != axis {
			half(perm[axis])
		}
	}
	for grown := true; grown; { // a half may be much less than what fits
		grown = false
		for axis := range shape {
			longer := slices.Clone(shape)
			longer[axis] = min(shape[axis]+shape[axis]/8+1, dst.Layout.Len(axis))
			longer[perm[axis]] = longer[axis]
			if longer[axis] > shape[axis] && fits(longer) {
				shape, grown = longer, true
			}
		}
	}
	g, pairs := exchangedTiles(dst.Layout, shape, perm)
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
		at, other := pairs[k][0], pairs[k][1]
		d, s := g.tile(dst, at), g.tile(src, at)
		n := s.Layout.Size() * s.ItemSize
		if buf == nil {
			buf = Alloc(n) // the first is the largest
		}
		lay, err := index.NewLayout(s.Layout.Shape(), s.ItemSize, index.C)
		if err != nil {
			return err
		}
		tmp := PieceOn(buf, lay, s.ItemSize)
		CopyTile(tmp, s, &same)
		if !slices.Equal(at, other) {
			CopyTile(g.tile(dst, other), g.tile(src, other), &codec)
		}
		CopyTile(d, tmp, &codec)
		return nil
	})
}

// exchangedTiles cuts a layout into tiles of a shape, and returns the positions of the pairs of tiles that change
// places, each pair once. Tiles that share pages follow each other: the axes that stay change last.
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
		at, other := g.at(k), make([]int, len(perm))
		for axis := range other {
			other[axis] = at[perm[axis]]
		}
		if slices.Compare(at, other) <= 0 {
			pairs = append(pairs, [2][]int{at, other})
		}
	}
	return g, pairs
}
