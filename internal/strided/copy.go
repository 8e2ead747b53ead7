package strided

import (
	"runtime"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
)

// Copy moves the elements of src to those of dst, whose layout has the same shape,
// with the operation c. The result is as if src were copied elsewhere first, also
// where the two overlap; that is done only where no direction of walking serves, and by parts where axes are
// exchanged in place. Goroutines share a large copy. The error is that of a copy that is too large.
//
// Where elements are on a disk, with gaps of whole pages between them, it reads the pages that have elements, and no
// others. A large copy between different orders goes by tiles, which have room in memory on both sides.
func Copy(dst, src Piece, c *elem.Codec) error {
	var buf [smallRank]axis
	axes, doff, soff := pair(buf[:0], dst.Layout, src.Layout)
	if axes[0].N == 0 {
		return nil
	}
	p := plan{dst: Add(dst.P, doff), src: Add(src.P, soff), dsize: dst.ItemSize}
	if MayOverlap(dst, src) && !p.orderInPlace(axes, c) {
		if src.Layout.Size()*src.ItemSize > exchangeTileBytes {
			if perm := exchanged(dst, src); perm != nil {
				return exchange(dst, src, perm, c)
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
	if d, s := coldSpans(&dst, &src, axes); !p.serial && (d != nil || s != nil) {
		codec := *c
		return tiles(dst, src, d != nil, s != nil, TileBytes, func(dst, src Piece) error {
			CopyTile(dst, src, &codec)
			return nil
		})
	}
	p.run(axes, max(dst.ItemSize, src.ItemSize), c)
	return nil
}

// CopyPaced is Copy with reports of progress. src and dst share no memory, or are the same elements.
func CopyPaced(dst, src Piece, c *elem.Codec, pacer *Pacer) error {
	var buf [smallRank]axis
	axes, _, _ := pair(buf[:0], dst.Layout, src.Layout)
	codec := *c
	if axes[0].N > 0 && dst.P != src.P {
		if d, s := coldSpans(&dst, &src, axes); d != nil || s != nil {
			return tiles(dst, src, d != nil, s != nil, TileBytes, func(dst, src Piece) error {
				return CopyTilePaced(dst, src, &codec, pacer)
			})
		}
	}
	return pacer.Each(dst, src, func(dst, src Piece) error { return Copy(dst, src, &codec) })
}

// CopyTilePaced is CopyTile with reports of progress.
func CopyTilePaced(dst, src Piece, c *elem.Codec, pacer *Pacer) error {
	return pacer.Each(dst, src, func(dst, src Piece) error {
		CopyTile(dst, src, c)
		return nil
	})
}

// CopyTile is Copy where src and dst share no memory, of pages that were asked for.
func CopyTile(dst, src Piece, c *elem.Codec) {
	var buf [smallRank]axis
	axes, doff, soff := pair(buf[:0], dst.Layout, src.Layout)
	if axes[0].N > 0 {
		p := plan{dst: Add(dst.P, doff), src: Add(src.P, soff), dsize: dst.ItemSize}
		p.run(axes, max(dst.ItemSize, src.ItemSize), c)
	}
}

// run copies all elements, of which the larger have so many bytes.
func (p *plan) run(axes []axis, bytes int, c *elem.Codec) {
	if n := p.goroutines(axes, bytes, leastSharedCopy); n > 1 {
		p.share(n, axes, *c)
		return
	}
	p.walk(axes, c)
}

// along returns the part of p that a selector chooses along one axis.
func (p Piece) along(axis int, sel index.Selector) Piece {
	lay, off := part(p.Layout, axis, sel)
	p.P, p.Layout = p.Mem.Part(p.P, off, lay, p.ItemSize), lay
	return p
}

// part returns the part of a layout that a selector chooses along one axis, and where it starts.
func part(lay index.Layout, axis int, sel index.Selector) (index.Layout, int) {
	var all [index.MaxDims]index.Selector
	all[axis] = sel
	lay, off, err := lay.Select(all[:axis+1]...)
	if err != nil {
		panic("array: bug: " + err.Error())
	}
	return lay, off
}

// Fill makes the element at item, as c moves it, every element of dst.
func Fill(dst Piece, item Pointer, c *elem.Codec) {
	var buf [smallRank]axis
	axes, off := single(buf[:0], dst.Layout, index.K)
	if axes[0].N == 0 {
		return
	}
	p := plan{dst: Add(dst.P, off), dsize: dst.ItemSize}
	n := p.goroutines(axes, dst.ItemSize, leastSharedFill)
	var small [8]uint64
	p.src = Hide(Pointer(&small))
	cold := dst.coldSpans(false) != nil
	if size := max(c.SourceSize(), dst.ItemSize); cold || n > 1 || size > len(small)*8 {
		p.src = Start(Alloc(size)) // where other goroutines can have it
	}
	same := elem.Repeat(dst.ItemSize)
	if c.HasPadding() { // which stays as it is, so each element is encoded
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

// fillTiles is Fill of what is on a disk, with pages between its elements that are not to be read, from an item on
// the heap.
func fillTiles(dst Piece, item Pointer, c elem.Codec) {
	tiles(dst, dst, true, false, TileBytes, func(dst, _ Piece) error {
		axes, off := single(nil, dst.Layout, index.K)
		p := plan{dst: Add(dst.P, off), dsize: dst.ItemSize, src: item}
		p.walk(axes, &c)
		return nil
	})
}

// A plan is what a copy knows beside its axes and its operation.
type plan struct {
	dst, src Pointer // the first elements
	dsize    int     // of an element of dst
	backward bool    // walk down instead of up
	serial   bool    // the order of the walk matters
}

// orderInPlace reports whether walking in some direction never overwrites an element
// that is still to be read, and chooses that direction. It is so when source and
// destination are the same pattern of bytes, at some distance, and the walk goes
// through memory in order.
func (p *plan) orderInPlace(axes []axis, c *elem.Codec) bool {
	skip, ok := c.InPlace()
	if !ok || !p.isNested(axes) {
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

// isNested reports whether the walk goes through the memory of dst in order.
func (p *plan) isNested(axes []axis) bool { return isNested(axes, p.dsize) }

// isNested reports whether a walk along the axes goes through memory in order, where elements have so many bytes.
func isNested(axes []axis, size int) bool {
	extent := size
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

// goroutines returns how many parts to divide a copy of elements of so many bytes into: 1 if
// it has fewer than least bytes.
func (p *plan) goroutines(axes []axis, bytes, least int) int {
	for _, a := range axes {
		bytes *= a.N
	}
	if bytes < least || p.serial || !p.isNested(axes) {
		return 1
	}
	return min(bytes/copyPartBytes, partsEach*runtime.GOMAXPROCS(0))
}

// share has n parts of the copy done by goroutines.
func (p plan) share(n int, axes []axis, c elem.Codec) {
	cut, items := cutAxis(axes, n)
	n = min(n, axes[cut].N/items)
	whole := slices.Clone(axes)
	(&Pass{Parts: n}).Run(func(k int, _ *Failure) error {
		part := p
		axes := slices.Clone(whole)
		a := &axes[cut]
		lo, hi := Bound(a.N/items, k, n)*items, Bound(a.N/items, k+1, n)*items
		if k == n-1 {
			hi = a.N
		}
		a.N = hi - lo
		part.dst, part.src = Add(p.dst, lo*a.DS), Add(p.src, lo*a.SS)
		part.walk(axes, &c)
		return nil
	})
}

// cutAxis returns the axis to cut into n parts, or fewer, and a number of elements that the
// length of each part but the last is a multiple of. It is the first axis that gives parts of
// cutItems elements, or that has n elements at least a cache line apart on both sides;
// otherwise it is the longest.
func cutAxis(axes []axis, n int) (cut, items int) {
	for k, a := range axes {
		if a.N >= cutItems*n {
			return k, tileItems
		}
		if a.N >= n && a.DS >= kernel.LineBytes && max(a.SS, -a.SS) >= kernel.LineBytes {
			return k, 1
		}
		if a.N > axes[cut].N {
			cut = k
		}
	}
	return cut, min(tileItems, axes[cut].N)
}

// walk copies all elements in this goroutine. It changes axes.
func (p *plan) walk(axes []axis, c *elem.Codec) {
	if !p.serial {
		c.Walk(axes, p.dst, p.src)
		return
	}
	d, s := p.reverse(axes, c)
	c.WalkInOrder(axes, Add(p.dst, d), Add(p.src, s))
}

// reverse makes the walk go down where it has to, and returns where it starts. What
// follows one another is turned by c.Move itself, as by copy.
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
