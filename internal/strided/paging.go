package strided

import (
	"cmp"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// coldSpans returns the spans of dst and src whose pages should be prefetched during a copy along axes. A result is nil
// if no pages of that side should be prefetched.
//
// It returns the spans of src if pages of src are not in memory, and page faults would read much more than is needed:
// there are gaps between the elements, or the two sides are large and lie in different orders or do not fit in memory.
// It returns the spans of dst if pages of dst are not in memory and there are gaps. If dst has no gaps, the copy walks
// through it in memory order, and it may be a new file, which has no data to read. So its spans are returned only if
// src is prefetched and lies in another order.
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

// IsCold reports whether pages of src are not in memory, and page faults of a copy to dst would read much more than
// src. [Tiles] then prefetches the pages of src only.
func IsCold(dst, src Piece) bool {
	var buf [smallRank]axis
	axes, _, _ := pairAxes(buf[:0], dst.Layout, src.Layout)
	if axes[0].N == 0 {
		return false
	}
	_, s := coldSpans(&dst, &src, axes)
	return s != nil
}

// IsCold reports whether p is in a file and any of the few pages that it checks is not in memory.
func (p Piece) IsCold() bool { return p.coldSpans(true) != nil }

// coldSpans returns the spans of p if pages of p are not in memory and any of the following holds: there are gaps
// between the pages; always is true; or p is too short for a [Readahead], but so long that the pages that faults read
// beyond its end matter. Otherwise it returns nil.
func (p Piece) coldSpans(always bool) *spans {
	if p.Mem.File == nil {
		return nil
	}
	s, ok := p.gapSpans()
	if lo, hi := p.Layout.Bounds(p.ItemSize); hi-lo >= PartBytes && hi-lo < readaheadBytes {
		always = true
	}
	if !ok && always {
		s, ok = p.spans(), true
	}
	if !ok || !s.areCold(s.start, s.end()) {
		return nil
	}
	cold := s // s itself would be allocated even if nil is returned
	return &cold
}

// A Policy selects the pages that [Piece.Prefetch] asks the system for.
type Policy uint8

const (
	// WhereScattered selects pages that are not in memory, if there are whole pages without elements between them. The
	// pages of the piece must fit in memory together.
	WhereScattered Policy = iota

	// WhereShort is meant for one of several pieces that are processed in turn. It selects the same pages as
	// WhereScattered, and also the pages of short pieces without gaps, because the pages that faults would read beyond
	// their ends add up.
	WhereShort

	// Everywhere selects all pages, without checking which ones are in memory.
	Everywhere
)

// Prefetch asks the system to begin reading the pages of p that the policy selects.
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
	p.coldSpans(policy == WhereShort && hi-lo < PartBytes).prefetch()
}

// release lets the system take back the pages of p that contain no other data. If written is true, the system begins to
// write them to the file first.
func (p Piece) release(written bool) {
	if p.Mem.File != nil {
		s := p.spans()
		s.release(written)
	}
}

// AreCold reports whether any of several pieces is not in memory. It checks the page of the first byte of a few of
// them. The pieces have the layout of p, which is in a file. Piece k starts at[k]*stride bytes after p.
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

// Readahead returns a Readahead for the memory of p in n parts. It returns nil if p is not in a file, or if p is small
// and has no gaps. In the latter case it prefetches p at once.
func (p Piece) Readahead(n int) *Readahead {
	s, gaps := p.gapSpans()
	if n < 1 || p.Mem.File == nil {
		return nil
	}
	lo, hi := p.Layout.Bounds(p.ItemSize)
	if !gaps && (n == 1 || hi-lo < readaheadBytes) {
		p.Prefetch(WhereScattered) // prefetches all of it at once
		return nil
	}
	start, size := p.Mem.Offset+Distance(p.P, p.Mem.Base)+lo, hi-lo
	r := &Readahead{m: p.Mem.File, start: start, size: size, pages: size, n: n}
	if gaps {
		r.spans, r.pages = s, s.bytesOnPages()
	}
	r.distance.Store(int64(max(1, readaheadBytes/max(1, r.pages/n))))
	r.changed.L = &r.mu
	return r
}

// newReadahead returns a Readahead for one goroutine that walks through p in memory order.
func (p Piece) newReadahead() *Readahead {
	return p.Readahead(1 + max(p.Layout.Size()*p.ItemSize, p.OnPages())/PartBytes)
}

// prepareAcrossOrder prepares a walk through p that does not follow its memory order. If pages of p are not in
// memory, it prefetches them. If there are too many of these pages and ahead is Copied, it returns slabs instead.
// Otherwise it returns nil.
func (p Piece) prepareAcrossOrder(order index.Order, ahead Ahead) *slabs {
	if lo, hi := p.Layout.Bounds(p.ItemSize); hi-lo < minAcrossBytes {
		return nil
	}
	s := p.coldSpans(true)
	if s == nil {
		return nil
	}
	if s.bytesOnPages() <= min(readaheadBytes, TileBytes()) {
		s.prefetch()
		return nil
	}
	if ahead != Copied {
		return nil
	}
	return newSlabs(p, order, SlabBytes())
}

// suppressReadahead keeps page faults on the pieces from reading further pages until restore is called. restore returns
// to the default readahead of the system.
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

// isLarge reports whether the memory of the pieces, from the first byte of each to its last, may not fit in memory. The
// gaps between their elements count, because readahead fills them. Few pages are never large.
func isLarge(pieces ...Piece) bool {
	pages, extent := 0, 0
	for _, p := range pieces {
		lo, hi := p.Layout.Bounds(p.ItemSize)
		pages += pageBytesOf(p.Layout, p.ItemSize)
		extent += hi - lo
	}
	return pages > PartBytes && extent >= availableMemory()/4
}
