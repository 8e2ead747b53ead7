package strided

import (
	"runtime"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// Copy moves the elements of src to those of dst, whose layout has the same shape,
// with the operation c. The result is as if src were copied elsewhere first, also
// where the two overlap; that is done only where no direction of walking serves.
// Goroutines share a large copy. The error is that of a copy that is too large.
func Copy(dst, src Piece, c *elem.Codec) error {
	var buf [smallRank]axis
	axes, doff, soff := pair(buf[:0], dst.Layout, src.Layout)
	if axes[0].n == 0 {
		return nil
	}
	p := plan{dst: Add(dst.P, doff), src: Add(src.P, soff), dsize: dst.ItemSize}
	if overlap(dst, src) && !p.orderInPlace(axes, c) {
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
	n := p.goroutines(axes)
	if n > 1 {
		p.share(n, axes, *c)
		return nil
	}
	p.walk(axes, c)
	return nil
}

// Fill makes the element at item, as c moves it, every element of dst.
func Fill(dst Piece, item Pointer, c *elem.Codec) {
	var buf [smallRank]axis
	axes, off := single(buf[:0], dst.Layout, index.K)
	if axes[0].n == 0 {
		return
	}
	p := plan{dst: Add(dst.P, off), dsize: dst.ItemSize}
	n := p.goroutines(axes)
	var small [8]uint64
	p.src = Hide(Pointer(&small))
	if size := max(c.SourceSize(), dst.ItemSize); n > 1 || size > len(small)*8 {
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
	if n > 1 {
		p.share(n, axes, *c)
		return
	}
	p.walk(axes, c)
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
		if a.n > 1 && a.ds != a.ss {
			return false
		}
	}
	delta := Distance(p.dst, p.src) - skip
	p.backward = delta > 0
	p.serial = delta != 0
	return true
}

// isNested reports whether the walk goes through the memory of dst in order.
func (p *plan) isNested(axes []axis) bool {
	extent := p.dsize
	for _, a := range slices.Backward(axes) {
		if a.n == 1 {
			continue
		}
		if a.ds < extent {
			return false
		}
		extent += (a.n - 1) * a.ds
	}
	return true
}

// goroutines returns how many parts the copy is worth.
func (p *plan) goroutines(axes []axis) int {
	bytes := p.dsize
	for _, a := range axes {
		bytes *= a.n
	}
	n := min(bytes/PartBytes, partsEach*runtime.GOMAXPROCS(0))
	if n < 2 || p.serial || !p.isNested(axes) {
		return 1
	}
	return n
}

// share has n parts of the copy done by goroutines.
func (p plan) share(n int, axes []axis, c elem.Codec) {
	cut := 0 // the axis to cut: the first one that gives long parts, or the longest
	for k, a := range axes {
		if a.n > axes[cut].n {
			cut = k
		}
		if axes[cut].n >= cutItems*n {
			break
		}
	}
	whole := slices.Clone(axes)
	Share(n, func(k int) {
		part := p
		axes := slices.Clone(whole)
		a := &axes[cut]
		lo, hi := Bound(a.n/tileItems, k, n)*tileItems, Bound(a.n/tileItems, k+1, n)*tileItems
		if k == n-1 {
			hi = a.n
		}
		if lo == hi {
			return
		}
		a.n = hi - lo
		part.dst, part.src = Add(p.dst, lo*a.ds), Add(p.src, lo*a.ss)
		part.walk(axes, &c)
	})
}

// walk copies all elements in this goroutine, a block of the two last axes at a time.
// It changes axes.
func (p *plan) walk(axes []axis, c *elem.Codec) {
	d, s := 0, 0
	row := axis{n: 1}
	outer, inner := axes[:len(axes)-1], axes[len(axes)-1]
	switch {
	case p.serial:
		d, s = p.reverse(axes, c)
		inner = axes[len(axes)-1]
	case len(outer) > 0:
		k := rowAxis(outer, inner)
		row = outer[k]
		outer = slices.Delete(outer, k, k+1)
	}
	var small [smallRank]int
	idx := append(small[:0], make([]int, len(outer))...)
	for {
		c.Move(row.n, inner.n, elem.Side{P: Add(p.dst, d), Row: row.ds, Item: inner.ds}, elem.Side{P: Add(p.src, s), Row: row.ss, Item: inner.ss})
		k := len(outer) - 1
		for ; k >= 0; k-- {
			a := outer[k]
			d += a.ds
			s += a.ss
			if idx[k]++; idx[k] < a.n {
				break
			}
			d -= a.n * a.ds
			s -= a.n * a.ss
			idx[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// rowAxis returns the axis to go along together with the innermost one. Where the source
// lies across that, it is the one along which the source lies: each line of the
// cache that a run touches has more elements in its direction. Else it is the next, or
// where that makes small blocks the longest.
func rowAxis(outer []axis, inner axis) int {
	best := -1
	if abs(inner.ss) >= lineBytes {
		least := abs(inner.ss) / 2
		for k, a := range outer {
			if a.n >= manyRows && a.ss != 0 && abs(a.ss) < least {
				best, least = k, abs(a.ss)
			}
		}
	}
	if best >= 0 {
		return best
	}
	best = len(outer) - 1
	if outer[best].n*inner.n < largeBlock {
		for k, a := range outer {
			if a.n > outer[best].n {
				best = k
			}
		}
	}
	return best
}

// reverse makes the walk go down where it has to, and returns where it starts. What
// follows one another is turned by c.Move itself, as by copy.
func (p *plan) reverse(axes []axis, c *elem.Codec) (d, s int) {
	if !p.backward {
		return 0, 0
	}
	for k := range axes {
		a := &axes[k]
		if k == len(axes)-1 && c.KeepsOrder() && a.ds == p.dsize {
			break
		}
		d += (a.n - 1) * a.ds
		s += (a.n - 1) * a.ss
		a.ds, a.ss = -a.ds, -a.ss
	}
	return d, s
}
