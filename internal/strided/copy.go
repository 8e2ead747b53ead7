package strided

import (
	"fmt"
	"math"
	"runtime"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
)

// Copy copies the elements of src to dst with the codec c. The layouts have the same shape. Goroutines share a large
// copy.
//
// dst and src may overlap. The result is as if src were first copied to a temporary array. Copy makes this temporary
// copy only if no direction of the walk avoids it. It performs a large exchange of axes in place instead, tile by tile.
// If the temporary copy would be too large, Copy changes nothing and returns an error that wraps index.ErrShape.
//
// If elements are on a disk, with gaps of whole pages between them, Copy reads only the pages that contain elements. It
// divides a large copy between different orders into tiles whose pages fit in memory on both sides. Long runs of a new
// file are written by Memory.Write, whose error Copy returns.
func Copy(dst, src Piece, c *elem.Codec) error {
	var buf [smallRank]axis
	axes, doff, soff := pairAxes(buf[:0], dst.Layout, src.Layout)
	if axes[0].N == 0 {
		return nil
	}
	p := plan{dst: Add(dst.P, doff), src: Add(src.P, soff), dsize: dst.ItemSize}
	if MayOverlap(dst, src) && !p.orderInPlace(axes, c) {
		if src.Layout.Size()*src.ItemSize > exchangeTileBytes {
			if perm := exchangedAxes(dst, src); perm != nil {
				return transposeInPlace(dst, src, perm, c)
			}
		}
		tmp, err := src.newLike()
		if err != nil {
			return err
		}
		same := elem.Repeat(src.ItemSize)
		if err := Copy(tmp, src, &same); err != nil {
			return err
		}
		return Copy(dst, tmp, c)
	}
	if !p.serial && dst.writes(axes, c, false) && !MayOverlap(dst, src) {
		return write(dst, src, c, &Pacer{Size: math.MaxInt})
	}
	if d, s := coldSpans(&dst, &src, axes); !p.serial && (d != nil || s != nil) {
		codec := *c
		return eachTile(dst, src, d != nil, s != nil, TileBytes, func(dst, src Piece) error {
			CopyTile(dst, src, &codec)
			return nil
		})
	}
	p.run(axes, max(dst.ItemSize, src.ItemSize), c)
	return nil
}

// CopyPaced is like Copy, and reports its progress to pacer. src and dst share no memory, or are the same elements.
func CopyPaced(dst, src Piece, c *elem.Codec, pacer *Pacer) error {
	var buf [smallRank]axis
	axes, _, _ := pairAxes(buf[:0], dst.Layout, src.Layout)
	codec := *c
	if axes[0].N > 0 && dst.P != src.P {
		if dst.writes(axes, c, pacer.IsNew) {
			return write(dst, src, c, pacer)
		}
		if d, s := coldSpans(&dst, &src, axes); d != nil || s != nil {
			return eachTile(dst, src, d != nil, s != nil, TileBytes, func(dst, src Piece) error {
				return copyTilePaced(dst, src, &codec, pacer)
			})
		}
	}
	return pacer.Each(dst, src, func(dst, src Piece) error { return Copy(dst, src, &codec) })
}

// copyTilePaced is like CopyTile, and reports its progress to pacer.
func copyTilePaced(dst, src Piece, c *elem.Codec, pacer *Pacer) error {
	return pacer.Each(dst, src, func(dst, src Piece) error {
		CopyTile(dst, src, c)
		return nil
	})
}

// CopyTile copies the elements of src to dst with the codec c. dst and src share no memory, and their pages are in
// memory or were prefetched.
func CopyTile(dst, src Piece, c *elem.Codec) {
	var buf [smallRank]axis
	axes, doff, soff := pairAxes(buf[:0], dst.Layout, src.Layout)
	if axes[0].N > 0 {
		p := plan{dst: Add(dst.P, doff), src: Add(src.P, soff), dsize: dst.ItemSize}
		p.run(axes, max(dst.ItemSize, src.ItemSize), c)
	}
}

// run copies all elements. itemsize is the larger of the two sizes of an element.
func (p *plan) run(axes []axis, itemsize int, c *elem.Codec) {
	if n := p.partCount(axes, itemsize, minSharedCopyBytes); n > 1 {
		p.share(n, axes, *c)
		return
	}
	p.walk(axes, c)
}

// selectAlong applies a selector to one axis of p.
func (p Piece) selectAlong(axis int, sel index.Selector) Piece {
	lay, off := selectAlong(p.Layout, axis, sel)
	p.P, p.Layout = p.Mem.Part(p.P, off, lay, p.ItemSize), lay
	return p
}

// selectAlong applies a selector to one axis of a layout. It returns the resulting layout and the offset of its first
// element.
func selectAlong(lay index.Layout, axis int, sel index.Selector) (index.Layout, int) {
	var all [index.MaxDims]index.Selector
	all[axis] = sel
	lay, off, err := lay.Select(all[:axis+1]...)
	if err != nil {
		panic(fmt.Errorf("array: bug: %w", err))
	}
	return lay, off
}

// Fill sets every element of dst to the result of encoding the element at item with c. item may be in the memory of
// dst.
func Fill(dst Piece, item Pointer, c *elem.Codec) {
	var buf [smallRank]axis
	axes, off := layoutAxes(buf[:0], dst.Layout, index.K)
	if axes[0].N == 0 {
		return
	}
	p := plan{dst: Add(dst.P, off), dsize: dst.ItemSize}
	n := p.partCount(axes, dst.ItemSize, minSharedFillBytes)
	var small [8]uint64
	p.src = Hide(Pointer(&small))
	cold := dst.coldSpans(false) != nil
	if size := max(c.SourceSize(), dst.ItemSize); cold || n > 1 || size > len(small)*8 {
		p.src = Start(Alloc(size)) // other goroutines cannot access this stack
	}
	same := elem.Repeat(dst.ItemSize)
	if c.HasPadding() { // encode each element, so that padding in dst does not change
		raw := elem.Repeat(c.SourceSize())
		raw.One(p.src, item)
	} else {
		c.One(p.src, item)
		c = &same
	}
	switch {
	case cold:
		fillTiles(dst, p.src, *c)
	case n > 1:
		p.share(n, axes, *c)
	default:
		p.walk(axes, c)
	}
}

// fillTiles fills a piece on a disk whose elements have gaps of whole pages between them. It does not read the pages of
// the gaps. item is on the heap.
func fillTiles(dst Piece, item Pointer, c elem.Codec) {
	eachTile(dst, dst, true, false, TileBytes, func(dst, _ Piece) error {
		axes, off := layoutAxes(nil, dst.Layout, index.K)
		p := plan{dst: Add(dst.P, off), dsize: dst.ItemSize, src: item}
		p.walk(axes, &c)
		return nil
	})
}

// A plan describes how to copy elements, apart from the axes and the codec.
type plan struct {
	dst, src Pointer // the first elements
	dsize    int     // the number of bytes of an element of dst
	backward bool    // walk down instead of up
	serial   bool    // the order of the walk matters
}

// orderInPlace sets the plan to a direction in which the walk never overwrites an element before it is read. It returns
// false if no such direction is known. src and dst must have the same strides, and the walk must go through memory in
// order.
func (p *plan) orderInPlace(axes []axis, c *elem.Codec) bool {
	skip, ok := c.InPlace()
	if !ok || !isNested(axes, p.dsize) {
		return false
	}
	for _, a := range axes {
		if a.N > 1 && a.DS != a.SS {
			return false
		}
	}
	delta := Distance(p.dst, p.src) - skip
	p.backward = delta > 0
	p.serial = delta != 0
	return true
}

// isNested reports whether a walk along the axes of dst goes through memory in order. Elements have itemsize bytes.
func isNested(axes []axis, itemsize int) bool {
	extent := itemsize
	for _, a := range slices.Backward(axes) {
		if a.N == 1 {
			continue // its stride is never used
		}
		if a.DS < extent {
			return false
		}
		extent += (a.N - 1) * a.DS
	}
	return true
}

// partCount returns the number of parts into which to divide a copy of elements of itemsize bytes. It returns 1 if
// the copy has fewer than minBytes bytes, or must not be divided.
func (p *plan) partCount(axes []axis, itemsize, minBytes int) int {
	bytes := itemsize
	for _, a := range axes {
		bytes *= a.N
	}
	if bytes < minBytes || p.serial || !isNested(axes, p.dsize) {
		return 1
	}
	return min(bytes/copyPartBytes, partsPerGoroutine*runtime.GOMAXPROCS(0))
}

// share divides the copy into up to n parts and shares them among goroutines.
func (p plan) share(n int, axes []axis, c elem.Codec) {
	cut, multiple := cutAxis(axes, n)
	n = min(n, axes[cut].N/multiple)
	whole := slices.Clone(axes)
	(&Pass{Parts: n}).Run(func(k int, _ *Failure) error {
		part := p
		axes := slices.Clone(whole)
		a := &axes[cut]
		lo, hi := Bound(a.N/multiple, k, n)*multiple, Bound(a.N/multiple, k+1, n)*multiple
		if k == n-1 {
			hi = a.N
		}
		a.N = hi - lo
		part.dst, part.src = Add(p.dst, lo*a.DS), Add(p.src, lo*a.SS)
		part.walk(axes, &c)
		return nil
	})
}

// cutAxis returns the axis to cut into up to n parts. The length of each part except the last is a multiple of
// multiple. cutAxis chooses the first axis with parts of at least minCutLength elements, or with at least n elements
// that are a cache line or more apart on both sides. If no such axis exists, it chooses the longest one.
func cutAxis(axes []axis, n int) (cut, multiple int) {
	for k, a := range axes {
		if a.N >= minCutLength*n {
			return k, transposedItems
		}
		if a.N >= n && a.DS >= kernel.LineBytes && max(a.SS, -a.SS) >= kernel.LineBytes {
			return k, 1
		}
		if a.N > axes[cut].N {
			cut = k
		}
	}
	return cut, min(transposedItems, axes[cut].N)
}

// walk copies all elements in this goroutine. It modifies axes.
func (p *plan) walk(axes []axis, c *elem.Codec) {
	if !p.serial {
		c.Walk(axes, p.dst, p.src)
		return
	}
	d, s := p.reverse(axes, c)
	c.WalkInOrder(axes, Add(p.dst, d), Add(p.src, s))
}

// reverse reverses the axes if p is backward. It returns the distances in bytes from the first elements of dst and src
// to the elements where the walk starts. It does not reverse consecutive elements that c.Move itself moves in the right
// order, as the built-in copy does.
func (p *plan) reverse(axes []axis, c *elem.Codec) (d, s int) {
	if !p.backward {
		return 0, 0
	}
	for k := range axes {
		a := &axes[k]
		if k == len(axes)-1 && c.KeepsOrder() && a.DS == p.dsize {
			break
		}
		d += (a.N - 1) * a.DS
		s += (a.N - 1) * a.SS
		a.DS, a.SS = -a.DS, -a.SS
	}
	return d, s
}
