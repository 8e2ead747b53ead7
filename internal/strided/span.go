package strided

import (
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// spans describe the ranges of a file that contain elements: runs of equal length, with gaps between them. Each gap
// contains whole pages.
type spans struct {
	m     *mmap.Map
	start int    // the offset of the first run in the file
	run   int    // the number of bytes of a run
	axes  []axis // the positions of the runs, by descending stride; a stride exceeds the extent of all later axes
}

const (
	// maxGapBytes is the length below which a gap of up to an eighth of a run is read with the run. A disk reads that many
	// bytes in less time than another request takes.
	maxGapBytes = 16 << 10

	// sampledPages is the number of pages that are checked to find out whether a range of a file is in memory.
	sampledPages = 8

	// fewPages is the number of pages below which asking the system about them is not worth it.
	fewPages = 16
)

// spans returns the spans of p. Runs include short gaps: see maxGapBytes.
func (p Piece) spans() spans { return p.spansWith(pageBytes, maxGapBytes) }

// Runs calls f with the offset in the file and the length of each run of elements of p, in the order of the file, until
// f returns false. Runs contain no gaps.
func (p Piece) Runs(f func(off, n int) bool) {
	s := p.spansWith(1, 0)
	s.eachRun(s.start, s.end(), f)
}

// EachRange calls f with the ranges of bytes that contain the elements of lay, in the order of the memory, until f
// returns false. Offsets count from the first element. A range includes gaps of up to gap bytes.
func EachRange(lay index.Layout, itemsize, gap int, f func(off, n int) bool) {
	s := spansOf(lay, itemsize, gap+1, 0)
	start, end, more := s.start, s.start, true
	s.eachRun(s.start, s.end(), func(off, n int) bool {
		if off-end > gap {
			more = f(start, end-start)
			start = off
		}
		end = max(end, off+n)
		return more
	})
	if more && end > start {
		f(start, end-start)
	}
}

// RangePages returns the approximate number of bytes of the pages that contain the ranges of [EachRange], or
// math.MaxInt if the number overflows.
func RangePages(lay index.Layout, itemsize, gap int) int {
	s := spansOf(lay, itemsize, gap+1, 0)
	if s.count() > math.MaxInt/(s.run+pageBytes) {
		return math.MaxInt
	}
	return s.bytesOnPages()
}

// spansWith returns the spans of p, with minGap and maxGap as in spansOf.
func (p Piece) spansWith(minGap, maxGap int) spans {
	s := spansOf(p.Layout, p.ItemSize, minGap, maxGap)
	s.m = p.Mem.File
	s.start += p.Mem.Offset + Distance(p.P, p.Mem.Base)
	return s
}

// spansOf returns the spans of the elements of lay, which have itemsize bytes. Offsets count from the first element. A
// gap ends a run if it has at least minGap bytes, and at least maxGap bytes or an eighth of a run.
func spansOf(lay index.Layout, itemsize, minGap, maxGap int) spans {
	axes, off := layoutAxes(make([]axis, 0, smallRank), lay, index.K)
	s := spans{start: off, run: itemsize}
	if axes[0].N == 0 {
		s.run = 0
		return s
	}
	extent := s.run // the extent of all axes so far
	for _, a := range slices.Backward(axes) {
		switch {
		case a.N == 1 || a.DS == 0:
		case a.DS < extent || len(s.axes) == 0 && a.DS-s.run < max(minGap, min(s.run/8, maxGap)):
			extent += (a.N - 1) * a.DS
			s.run, s.axes = extent, nil
		default:
			extent += (a.N - 1) * a.DS
			s.axes = append(s.axes, a)
		}
	}
	slices.Reverse(s.axes)
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

// pageBytesOf returns the approximate number of bytes of the pages that contain elements of lay.
func pageBytesOf(lay index.Layout, itemsize int) int {
	s := spansOf(lay, itemsize, pageBytes, maxGapBytes)
	if len(s.axes) == 0 {
		return s.run
	}
	return s.bytesOnPages()
}

// bytesOnPages returns the approximate number of bytes of the pages that contain runs.
func (s *spans) bytesOnPages() int { return s.count() * (s.run + pageBytes) }

// eachRun calls f with the offset and length of each run in the range [lo, hi) of the file, in order, until f returns
// false. Runs that extend beyond the range are cut off.
func (s *spans) eachRun(lo, hi int, f func(off, n int) bool) { s.walk(0, s.start, lo, hi, f) }

// walk does the work of eachRun for the runs at one position along the axes before axis k. The first of these runs
// starts at off. walk returns false if f has returned false.
func (s *spans) walk(k, off, lo, hi int, f func(off, n int) bool) bool {
	if k == len(s.axes) {
		from, to := max(off, lo), min(off+s.run, hi)
		return from >= to || f(from, to-from)
	}
	extent := s.run // the extent of one position along axis k
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

// areCold reports whether any of a few pages of the runs in the range [lo, hi) of the file is not in memory.
func (s *spans) areCold(lo, hi int) (cold bool) {
	n := max(1, min((hi-lo)/pageBytes, sampledPages))
	for k := range n {
		s.eachRun(lo+Bound(hi-lo, k, n), hi, func(off, n int) bool {
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

// advise gives advice on the runs in the range [lo, hi) of the file. It is a hint, so errors are ignored.
func (s *spans) advise(lo, hi int, a mmap.Advice) {
	s.eachRun(lo, hi, func(off, n int) bool {
		s.m.Advise(off, n, a)
		return true
	})
}

// prefetch asks the system to begin reading the pages of all runs. It does nothing for nil.
func (s *spans) prefetch() {
	if s != nil {
		s.advise(s.start, s.end(), mmap.WillNeed)
	}
}

// release lets the system take back the whole pages of all runs. It keeps pages at the ends of runs, because they also
// contain other bytes, which may be needed next. If written is true, the system begins to write the pages first.
func (s *spans) release(written bool) {
	s.eachRun(s.start, s.end(), func(off, n int) bool {
		if from, to := wholePages(off, n); from < to {
			if written {
				s.m.Advise(from, to-from, mmap.Written)
			}
			s.m.Advise(from, to-from, mmap.PageOut)
		}
		return true
	})
}

// wholePages returns the range [from, to) of the whole pages in the n bytes at off. If there are no whole pages, from
// >= to.
func wholePages(off, n int) (from, to int) {
	return ceilDiv(off, pageBytes) * pageBytes, (off + n) / pageBytes * pageBytes
}

// gapSpans returns the spans of p. It reports whether p is in a file, has at least fewPages pages, and has gaps of
// whole pages between its elements, so that most pages that a page fault reads ahead are not needed. If the result is
// false, the spans may be empty.
func (p Piece) gapSpans() (spans, bool) {
	if p.Mem.File == nil {
		return spans{}, false
	}
	lo, hi := p.Layout.Bounds(p.ItemSize)
	if hi-lo < fewPages*pageBytes || hi-lo == p.Layout.Size()*p.ItemSize {
		return spans{}, false
	}
	s := p.spans()
	return s, len(s.axes) > 0 && s.bytesOnPages() >= fewPages*pageBytes
}

// end returns the offset of the end of the last run.
func (s *spans) end() int {
	end := s.start + s.run
	for _, a := range s.axes {
		end += (a.N - 1) * a.DS
	}
	return end
}

// OnPages returns the number of bytes of the elements of p. If there are gaps of whole pages between elements, it
// returns the approximate number of bytes in the pages that contain elements.
func (p Piece) OnPages() int {
	n := p.Layout.Size() * p.ItemSize
	if lo, hi := p.Layout.Bounds(p.ItemSize); hi-lo <= n || hi-lo < fewPages*pageBytes {
		return n
	}
	return max(n, pageBytesOf(p.Layout, p.ItemSize))
}
