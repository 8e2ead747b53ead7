package strided

import (
	"iter"
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
	for d, s := dst.Layout, src.Layout; d.Size() > 1 && max(pagesOf(d, dst.ItemSize), pagesOf(s, src.ItemSize)) > most; {
		axis := HalvedAxis(d, s, dst.ItemSize, src.ItemSize)
		if half(axis); perm[axis] != axis {
			half(perm[axis])
		}
		for k, n := range shape {
			d, _ = part(d, k, index.Range(0, n))
			s, _ = part(s, k, index.Range(0, n))
		}
	}
	for grown := true; grown; { // a half may be much less than what fits
		grown = false
		for axis := range shape {
			longer, d, s := slices.Clone(shape), dst.Layout, src.Layout
			longer[axis] = min(shape[axis]+shape[axis]/8+1, dst.Layout.Len(axis))
			longer[perm[axis]] = longer[axis]
			for k, n := range longer {
				d, _ = part(d, k, index.Range(0, n))
				s, _ = part(s, k, index.Range(0, n))
			}
			if longer[axis] > shape[axis] && max(pagesOf(d, dst.ItemSize), pagesOf(s, src.ItemSize)) <= most {
				shape, grown = longer, true
			}
		}
	}
	if cold {
		defer SuppressReadaheadIfLarge(dst, dst)()
	}
	grid := make([]int, len(shape))
	for k, n := range shape {
		grid[k] = (dst.Layout.Len(k) + n - 1) / n
	}
	tile := func(p Piece, at []int) Piece {
		for k, i := range at {
			p = p.along(k, index.Range(i*shape[k], min((i+1)*shape[k], p.Layout.Len(k))))
		}
		return p
	}
	var buf []byte
	same := elem.Repeat(src.ItemSize)
	pair := func(at, other []int) error {
		d, s := tile(dst, at), tile(src, at)
		n := s.Layout.Size() * s.ItemSize
		if buf == nil {
			buf = Alloc(n) // the first is the largest
		}
		lay, err := index.NewLayout(s.Layout.Shape(), s.ItemSize, index.C)
		if err != nil {
			return err
		}
		tmp := Piece{P: Start(buf), Layout: lay, ItemSize: s.ItemSize, Mem: &Memory{Base: Start(buf), Size: len(buf)}}
		CopyTile(tmp, s, &same)
		if !slices.Equal(at, other) {
			CopyTile(tile(dst, other), tile(src, other), c)
		}
		CopyTile(d, tmp, c)
		if cold {
			d.Release(true)
			s.Release(true)
		}
		return nil
	}
	var at, other []int // of the pair before, whose pages were asked for
	for next, nextOther := range exchangedTiles(grid, perm) {
		if cold {
			tile(dst, next).Prefetch(Everywhere)
			tile(src, next).Prefetch(Everywhere)
		}
		if at != nil {
			if err := pair(at, other); err != nil {
				return err
			}
		}
		at, other = next, nextOther
	}
	return pair(at, other)
}

// exchangedTiles yields where in a grid tiles are that change places, each pair once. Along the axes that change places
// they follow one another, since they share pages; the other axes come first.
func exchangedTiles(grid, perm []int) iter.Seq2[[]int, []int] {
	var fixed, axes []int
	tiles := 1
	for axis, j := range perm {
		if tiles *= grid[axis]; j == axis {
			fixed = append(fixed, axis)
		} else {
			axes = append(axes, axis)
		}
	}
	axes = append(fixed, axes...)
	return func(yield func(at, other []int) bool) {
		for k := range tiles {
			at, other := make([]int, len(grid)), make([]int, len(grid))
			for _, axis := range slices.Backward(axes) {
				at[axis], k = k%grid[axis], k/grid[axis]
			}
			for axis := range grid {
				other[axis] = at[perm[axis]]
			}
			if slices.Compare(at, other) <= 0 && !yield(at, other) {
				return
			}
		}
	}
}
