package strided

import (
	"cmp"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// spans are the bytes of a file that elements lie in: runs of one length, with gaps between them that hold whole
// pages without an element.
type spans struct {
	m     *mmap.Map
	start int    // of the first run, in the file
	run   int    // bytes
	axes  []axis // along which runs follow one another, the largest stride first, each beyond all of the next
}

// gapBytes is the longest gap that is read with the runs beside it, where it is an eighth of a run at most: that
// many bytes take a disk less time than another request does.
const gapBytes = 16 << 10

// samples is how many pages tell whether the others are in memory.
const samples = 8

// fewPages is up to how many pages are not worth asking the system about.
const fewPages = 16

// spans returns the spans of p, those near each other as one.
func (p Piece) spans() spans { return p.spansWith(pageBytes, gapBytes) }

// Runs calls f with where in the file the elements of p are, run by run without gaps, in the order of the file, until
// f returns false.
func (p Piece) Runs(f func(off, n int) bool) {
	s := p.spansWith(1, 0)
	s.each(s.start, s.end(), f)
}

// spansWith returns the spans of p. Gaps of fewer bytes than least, or of an eighth of a run and fewer than most, are
// in a run.
func (p Piece) spansWith(least, most int) spans {
	s := spansOf(p.Layout, p.ItemSize, least, most)
	s.m = p.Mem.File
	s.start += p.Mem.Offset + Distance(p.P, p.Mem.Base)
	return s
}

// spansOf returns the spans of elements of that size, which start with the first one of lay.
func spansOf(lay index.Layout, itemsize, least, most int) spans {
	axes, off := single(make([]axis, 0, smallRank), lay, index.K)
	s := spans{start: off, run: itemsize}
	if axes[0].N == 0 {
		s.run = 0
		return s
	}
	extent := s.run // of all axes so far
	for k := len(axes) - 1; k >= 0; k-- {
		switch a := axes[k]; {
		case a.N == 1 || a.DS == 0:
		case a.DS < extent || len(s.axes) == 0 && a.DS-s.run < max(least, min(s.run/8, most)):
			extent += (a.N - 1) * a.DS
			s.run, s.axes = extent, nil
		default:
			extent += (a.N - 1) * a.DS
			s.axes = append(s.axes, a)
		}
	}
	for i, j := 0, len(s.axes)-1; i < j; i, j = i+1, j-1 {
		s.axes[i], s.axes[j] = s.axes[j], s.axes[i]
	}
	return s
}

// count returns the number of runs.
func (s *spans) count() int {
	n := 1
	for _, a := range s.axes {
		n *= a.N
	}
	return n
}

// pagesOf returns about how many bytes the pages have that elements are on.
func pagesOf(lay index.Layout, itemsize int) int {
	s := spansOf(lay, itemsize, pageBytes, gapBytes)
	if len(s.axes) == 0 {
		return s.run
	}
	return s.onPages()
}

// onPages returns about how many bytes the pages have that a run is on, of all runs. Of nil it is 0.
func (s *spans) onPages() int {
	if s == nil {
		return 0
	}
	return s.count() * (s.run + pageBytes)
}

// each calls f with the runs, or the parts of them, that lie between two bytes of the file, in their order, until f
// returns false.
func (s *spans) each(lo, hi int, f func(off, n int) bool) { s.walk(0, s.start, lo, hi, f) }

func (s *spans) walk(k, off, lo, hi int, f func(off, n int) bool) bool {
	if k == len(s.axes) {
		from, to := max(off, lo), min(off+s.run, hi)
		return from >= to || f(from, to-from)
	}
	extent := s.run // of one position along axis k
	for _, a := range s.axes[k+1:] {
		extent += (a.N - 1) * a.DS
	}
	a := s.axes[k]
	for i := max(0, (lo-off-extent)/a.DS); i < a.N && off+i*a.DS < hi; i++ {
		if !s.walk(k+1, off+i*a.DS, lo, hi, f) {
			return false
		}
	}
	return true
}

// areCold reports whether runs between two bytes of the file are not in memory, as some of them tell.
func (s *spans) areCold(lo, hi int) (cold bool) {
	n := max(1, min((hi-lo)/pageBytes, samples))
	for k := range n {
		s.each(lo+Bound(hi-lo, k, n), hi, func(off, n int) bool {
			in, err := s.m.Resident(off+n/2, 1)
			cold = err == nil && in == 0
			return false
		})
		if cold {
			return true
		}
	}
	return false
}

// advise gives advice on the runs between two bytes of the file, and on nothing else. It is a hint, so errors are
// ignored.
func (s *spans) advise(lo, hi int, a mmap.Advice) {
	s.each(lo, hi, func(off, n int) bool {
		s.m.Advise(off, n, a)
		return true
	})
}

// prefetch has the system begin to read the pages of all runs. It does nothing for nil.
func (s *spans) prefetch() {
	if s != nil {
		s.advise(s.start, s.end(), mmap.WillNeed)
	}
}

// release lets the system take back the pages of all runs, except those at their ends, which hold other bytes as well
// that may be needed next. If stored is true, the system begins to write the pages first. It does nothing for nil.
func (s *spans) release(stored bool) {
	if s == nil {
		return
	}
	s.each(s.start, s.end(), func(off, n int) bool {
		if from, to := wholePages(off, n); from < to {
			if stored {
				s.m.Advise(from, to-from, mmap.Written)
			}
			s.m.Advise(from, to-from, mmap.PageOut)
		}
		return true
	})
}

// wholePages returns where the pages start and end that lie within n bytes.
func wholePages(off, n int) (from, to int) {
	return (off + pageBytes - 1) / pageBytes * pageBytes, (off + n) / pageBytes * pageBytes
}

// hasGaps reports whether p, of a file, has gaps of whole pages between its elements, and more than a few pages: what
// a page fault reads ahead is then mostly for nothing.
func (p Piece) hasGaps() (spans, bool) {
	if p.Mem.File == nil {
		return spans{}, false
	}
	lo, hi := p.Layout.Bounds(p.ItemSize)
	if hi-lo < fewPages*pageBytes || hi-lo == p.Layout.Size()*p.ItemSize {
		return spans{}, false
	}
	s := p.spans()
	return s, len(s.axes) > 0 && s.onPages() >= fewPages*pageBytes
}

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

// Release lets the system take back the pages of p that hold nothing else. If stored is true, they begin to be written
// to the file first.
func (p Piece) Release(stored bool) {
	if p.Mem.File != nil {
		s := p.spans()
		s.release(stored)
	}
}

// AreCold reports whether pieces are on a disk, as the first bytes of a few of them tell. They are like p, each so many
// strides behind it.
func (p Piece) AreCold(stride int, at []int) bool {
	lo, _ := p.Layout.Bounds(p.ItemSize)
	lo += p.Mem.Offset + Distance(p.P, p.Mem.Base)
	for k, n := 0, min(samples, 1+len(at)/16); k < n; k++ {
		if in, err := p.Mem.File.Resident(lo+stride*at[Bound(len(at), k, n)], 1); err == nil && in == 0 {
			return true
		}
	}
	return false
}

// PrefetchEach has the system begin to read the pages of several pieces, and no others. They are like p, at[k] strides
// behind it.
func (p Piece) PrefetchEach(stride int, at []int) {
	s := p.spans()
	first := s.start
	for _, i := range at {
		s.start = first + stride*i
		s.prefetch()
	}
}

// end returns the byte after the last run.
func (s *spans) end() int {
	end := s.start + s.run
	for _, a := range s.axes {
		end += (a.N - 1) * a.DS
	}
	return end
}

// OnPages returns the number of bytes of the elements of p, or, where there are gaps of whole pages between them,
// about as many as the pages have that they are on.
func (p Piece) OnPages() int {
	n := p.Layout.Size() * p.ItemSize
	if lo, hi := p.Layout.Bounds(p.ItemSize); hi-lo <= n || hi-lo < fewPages*pageBytes {
		return n
	}
	return max(n, pagesOf(p.Layout, p.ItemSize))
}
