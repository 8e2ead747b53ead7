package strided

import (
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
