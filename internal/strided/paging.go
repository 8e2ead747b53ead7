package strided

import (
	"cmp"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// coldSpans returns the spans of src, where a disk would read much more for a copy along axes than it needs: there are
// gaps between the elements, or the two sides are large, and lie in different orders or have no room in memory, and
// pages are not in memory. Otherwise it returns nil; and so for dst, which may be a new file, of which there is
// nothing to read: it is walked in its order, unless pages of src are waited for.
func coldSpans(dst, src *Piece, axes []axis) (d, s *spans) {
	reach := 0
	for _, a := range axes {
		reach = max(reach, (a.N-1)*abs(a.DS), (a.N-1)*abs(a.SS))
	}
	if reach*len(axes) < fewPages*pageBytes/2 || dst.Mem.File == nil && src.Mem.File == nil {
		return nil, nil
	}
	if src.Mem.File != nil {
		large := src.Layout.Size()*min(src.ItemSize, dst.ItemSize) > PartBytes || src.OnPages() > PartBytes
		crossed := large && !slices.IsSortedFunc(axes, func(a, b axis) int { return cmp.Compare(abs(b.SS), abs(a.SS)) })
		s = src.coldSpans(large)
		if s != nil && (crossed || len(s.axes) > 0 || s.run < readaheadBytes || isLarge(*dst, *src)) {
			return dst.coldSpans(crossed), s
		}
	}
	if dst.Mem.File != nil {
		d = dst.coldSpans(false)
	}
	return d, nil
}

// IsCold reports whether a copy of src to dst waits for pages of src that a disk would read with much more than is
// needed: then [Tiles] has it read what is needed.
func IsCold(dst, src Piece) bool {
	var buf [smallRank]axis
	axes, _, _ := pair(buf[:0], dst.Layout, src.Layout)
	if axes[0].N == 0 {
		return false
	}
	_, s := coldSpans(&dst, &src, axes)
	return s != nil
}

// IsCold reports whether pages of p, of a file, are not in memory, as some of them tell.
func (p Piece) IsCold() bool { return p.coldSpans(true) != nil }

// coldSpans returns the spans of p, if pages of it are not in memory, and there are gaps between them, or p is too
// short for a [Readahead] and yet long enough that it matters what page faults read behind its end, or always is set.
func (p Piece) coldSpans(always bool) *spans {
	if p.Mem.File == nil {
		return nil
	}
	s, ok := p.hasGaps()
	if lo, hi := p.Layout.Bounds(p.ItemSize); hi-lo >= PartBytes && hi-lo < readaheadBytes {
		always = true
	}
	if !ok && always {
		s, ok = p.spans(), true
	}
	if !ok || !s.areCold(s.start, s.end()) {
		return nil
	}
	return &s
}

// A Policy says which pages [Piece.Prefetch] asks for.
type Policy uint8

const (
	// WhereScattered asks for pages that are not in memory, if other whole pages lie between them. The piece must be
	// small enough to fit in memory all at once.
	WhereScattered Policy = iota

	// WhereShort is WhereScattered for one of several pieces that are worked on in turn. It asks for short pieces without
	// gaps as well: the pages that faults would read beyond their ends add up.
	WhereShort

	// WhereCold asks for pages that are not in memory, even if they are few and have no gaps.
	WhereCold

	// Everywhere asks for all pages, without checking which ones are in memory.
	Everywhere
)

// Prefetch has the system begin to read the pages of the elements of p, and no others, as the policy says.
func (p Piece) Prefetch(policy Policy) {
	if p.Mem.File == nil {
		return
	}
	if policy == Everywhere {
		s := p.spans()
		s.prefetch()
		return
	}
	lo, hi := p.Layout.Bounds(p.ItemSize)
	p.coldSpans(policy == WhereCold || policy == WhereShort && hi-lo < PartBytes).prefetch()
}

// release lets the system take back the pages of p that hold nothing else. If written is true, the system begins to
// write them to the file first.
func (p Piece) release(written bool) {
	if p.Mem.File != nil {
		s := p.spans()
		s.release(written)
	}
}

// AreCold reports whether pieces are on a disk, as the first bytes of a few of them tell. They are like p, each so many
// strides behind it.
func (p Piece) AreCold(stride int, at []int) bool {
	lo, _ := p.Layout.Bounds(p.ItemSize)
	lo += p.Mem.Offset + Distance(p.P, p.Mem.Base)
	for k, n := 0, min(sampledPages, 1+len(at)/16); k < n; k++ {
		if in, err := p.Mem.File.Resident(lo+stride*at[Bound(len(at), k, n)], 1); err == nil && in == 0 {
			return true
		}
	}
	return false
}

// Readahead returns one for the memory of p in n parts, nil where p is small, and then read at once, or no file.
func (p Piece) Readahead(n int) *Readahead {
	s, gaps := p.hasGaps()
	if n < 1 || p.Mem.File == nil {
		return nil
	}
	lo, hi := p.Layout.Bounds(p.ItemSize)
	if !gaps && (n == 1 || hi-lo < readaheadBytes) {
		p.Prefetch(WhereScattered) // all at once
		return nil
	}
	start, size := p.Mem.Offset+Distance(p.P, p.Mem.Base)+lo, hi-lo
	r := &Readahead{m: p.Mem.File, start: start, size: size, pages: size, n: n}
	if gaps {
		r.spans, r.pages = s, s.onPages()
	}
	r.ahead.Store(int64(max(1, readaheadBytes/max(1, r.pages/n))))
	r.changed.L = &r.mu
	return r
}

// sweep returns a Readahead for one goroutine that walks through p in the order of the memory.
func (p Piece) sweep() *Readahead {
	return p.Readahead(1 + max(p.Layout.Size()*p.ItemSize, p.OnPages())/PartBytes)
}

// acrossOrder prepares for a walk through p in another order than that of its memory. If pages of it are not in
// memory, it has them read; if they are too many for that, it returns slabs, where the walk may be through copies.
func (p Piece) acrossOrder(order index.Order, ahead Ahead) *slabs {
	if lo, hi := p.Layout.Bounds(p.ItemSize); hi-lo < minAcrossBytes {
		return nil
	}
	s := p.coldSpans(true)
	if s == nil {
		return nil
	}
	if s.onPages() <= min(readaheadBytes, TileBytes()) {
		s.prefetch()
		return nil
	}
	if ahead != Copied {
		return nil
	}
	return newSlabs(p, order, SlabBytes())
}

// suppressReadahead keeps page faults on the pieces from reading other pages until the function that it returns is
// called. After that, faults read ahead as the system does by default.
func suppressReadahead(pieces ...Piece) (restore func()) {
	advise := func(a mmap.Advice) {
		for _, p := range pieces {
			if p.Mem.File != nil {
				s := p.spans()
				p.Mem.File.Advise(s.start, s.end()-s.start, a)
			}
		}
	}
	advise(mmap.Random)
	return func() { advise(mmap.Normal) }
}

// isLarge reports whether the pages of the pieces may not fit in memory.
func isLarge(pieces ...Piece) bool {
	sum := 0
	for _, p := range pieces {
		sum += pagesOf(p.Layout, p.ItemSize)
	}
	return sum > PartBytes && sum >= memory()/4
}
