package strided

import (
	"cmp"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// Tiles calls f with parts of dst and src that are the same elements of both and together all of them, in turn. The
// pages of each part of src that are not in memory are being read since before the call with the part before it, and
// leave again after the call, if there are several parts. It returns the first error of f.
//
// A part has pages of src of about a sixth of the memory that the process may take, but not many more than 64 MiB,
// and of dst of twice as much, or more of one and less of the other; for two that lie in different orders it is a
// tile. So each page is read about once.
func Tiles(dst, src Piece, f func(dst, src Piece) error) error {
	most := func() int { return min(TileBytes()/3*4, mostTile) }
	return tiles(dst, src, false, true, most, f)
}

// TileBytes returns how many bytes of pages a tile has at most.
func TileBytes() int { return min(max(memory()/tilesInMemory, leastTile), mostTile) }

// tiles is Tiles where the pages of dst, of src or of both are asked for, in tiles with so many bytes of pages at
// most as most returns.
func tiles(dst, src Piece, ofDst, ofSrc bool, most func() int, f func(dst, src Piece) error) error {
	switch {
	case ofDst:
		defer SuppressReadaheadIfLarge(dst, src)()
	case isLarge(dst, src): // dst is walked in its order, or not mapped
		defer SuppressReadahead(src)()
	}
	t := tiling{ofDst: ofDst, ofSrc: ofSrc, f: f, most: most, size: most()}
	err := t.cut(dst, src, t.shape(dst, src), AxesByStride(dst.Layout))
	if err == nil && t.first {
		return f(t.dst, t.src)
	}
	if err == nil {
		err = t.next()
	}
	return err
}

// SuppressReadaheadIfLarge calls [SuppressReadahead] if the pages of the two pieces may not fit in memory. Pages that
// were prefetched may then be evicted before they are touched, and what a page fault reads next to its page evicts more
// of them. Otherwise the function that it returns does nothing.
func SuppressReadaheadIfLarge(dst, src Piece) (restore func()) {
	if !isLarge(dst, src) {
		return func() {}
	}
	return SuppressReadahead(dst, src)
}

// SuppressReadahead keeps page faults on the pieces from reading other pages until the function that it returns is
// called. After that, faults read ahead as the system does by default.
func SuppressReadahead(pieces ...Piece) (restore func()) {
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

// isLarge reports whether the pages of two pieces may not fit in memory.
func isLarge(dst, src Piece) bool {
	return pagesOf(dst.Layout, dst.ItemSize)+pagesOf(src.Layout, src.ItemSize) >= memory()/4
}

// shape returns the shape of tiles of dst and src.
func (t *tiling) shape(dst, src Piece) []int { return tileShape(dst, src, t.size, t.ofDst) }

// tileShape returns the shape of tiles, for each of which there is room for as many pages of either side as most
// says, and of the next one as well. If pages of dst are not read, those of the next are not there yet, but what a
// tile is gathered in may be. Where one side has fewer pages, the other may have more: then runs of src are longer,
// and fewer of its pages are at their ends, and read for two tiles.
func tileShape(dst, src Piece, most int, ofDst bool) []int {
	shape := dst.Layout.Shape()
	parts := func(shape []int) (d, s index.Layout) {
		d, s = dst.Layout, src.Layout
		for k, n := range shape {
			d, _ = part(d, k, index.Range(0, n))
			s, _ = part(s, k, index.Range(0, n))
		}
		return d, s
	}
	fits := func(shape []int) bool {
		d, s := parts(shape)
		dpages, spages := pagesOf(d, dst.ItemSize), pagesOf(s, src.ItemSize)
		if ofDst {
			return dpages+spages <= 2*most
		}
		return dpages+3*spages <= 5*most
	}
	for !fits(shape) {
		d, s := parts(shape)
		if d.Size() < 2 {
			break
		}
		axis := HalvedAxis(d, s, dst.ItemSize, src.ItemSize)
		shape[axis] = (shape[axis] + 1) / 2
	}
	inner := AxesByStride(src.Layout)
	slices.Reverse(inner)
	// A page at the border of a tile of src is read twice, and one of dst is mostly there still; but each run of dst is a
	// system call, or, if dst is read, may be a request.
	weight := 1.0 / 8
	if ofDst {
		weight = 1.0 / 2
	}
	cost := func(shape []int) float64 {
		d, s := parts(shape)
		runs := spansOf(d, dst.ItemSize, 1, 0)
		requests := float64(runs.count()) * float64(runs.run+pageBytes) // may be more than an int of 32 bits counts
		return (float64(pagesOf(s, src.ItemSize)) + weight*requests) / float64(d.Size())
	}
	for best := cost(shape); ; { // twice as long in one direction, and half as long in another
		var better []int
		for _, longer := range inner {
			for _, shorter := range inner {
				next := slices.Clone(shape)
				next[longer] = min(2*next[longer], dst.Layout.Len(longer))
				next[shorter] = (next[shorter] + 1) / 2
				if longer != shorter && next[longer] > shape[longer] && fits(next) && cost(next) < best {
					best, better = cost(next), next
				}
			}
		}
		if better == nil {
			break
		}
		shape = better
	}
	for grown := true; grown; { // a half may be much less than what fits: longer runs of src, which are read, first
		grown = false
		for _, axis := range inner {
			longer := slices.Clone(shape)
			longer[axis] = min(longer[axis]+longer[axis]/8+1, dst.Layout.Len(axis))
			if longer[axis] > shape[axis] && fits(longer) {
				shape, grown = longer, true
				break
			}
		}
	}
	for axis, n := range shape {
		whole := dst.Layout.Len(axis)
		parts := max(1, (whole+n-1)/max(1, n))
		shape[axis] = (whole + parts - 1) / parts
	}
	return shape
}

// AxesByStride returns the axes of a layout in the order K: those with the largest strides, whatever their sign, first.
func AxesByStride(lay index.Layout) []int {
	axes := make([]int, lay.NDim())
	for k := range axes {
		axes[k] = k
	}
	slices.SortStableFunc(axes, func(a, b int) int { return cmp.Compare(abs(lay.Stride(b)), abs(lay.Stride(a))) })
	return axes
}

// A tiling has asked for the pages of one part, and not yet called f with it.
type tiling struct {
	ofDst, ofSrc bool
	f            func(dst, src Piece) error
	most         func() int
	size         int // of tiles, at most
	dst, src     Piece
	d, s         *spans
	begun, first bool // there is a part, and it is the first
}

// cut cuts along the axes into tiles of a shape, which follow one another in the order of the memory of dst: they share
// pages with the one before, which were written just now.
func (t *tiling) cut(dst, src Piece, shape, axes []int) error {
	if len(axes) == 0 {
		size := t.size
		if now := t.most(); now <= size/2 && dst.Layout.Size() > 1 { // there is less memory than there was
			t.size = now
			err := t.cut(dst, src, t.shape(dst, src), AxesByStride(dst.Layout))
			t.size = size
			return err
		}
		return t.add(dst, src)
	}
	axis := axes[0]
	step := shape[axis]
	for lo, n := 0, dst.Layout.Len(axis); lo < n; lo += step {
		sel := index.Range(lo, min(lo+step, n))
		if err := t.cut(dst.along(axis, sel), src.along(axis, sel), shape, axes[1:]); err != nil {
			return err
		}
	}
	return nil
}

// add prefetches the pages of a part, and then calls f with the part before it.
func (t *tiling) add(dst, src Piece) error {
	var d, s *spans
	if t.ofDst && dst.Mem.File != nil {
		d = new(spans)
		*d = dst.spans()
		d.prefetch()
	}
	if t.ofSrc && src.Mem.File != nil {
		s = new(spans)
		*s = src.spans()
		s.prefetch()
	}
	var err error
	if t.begun {
		err = t.next()
	}
	t.first, t.begun = !t.begun, true
	t.dst, t.src, t.d, t.s = dst, src, d, s
	return err
}

// next calls f with the part whose pages were prefetched, and releases them.
func (t *tiling) next() error {
	err := t.f(t.dst, t.src)
	t.s.release(false)
	t.d.release(true)
	return err
}

// HalvedAxis returns the axis at which to halve two layouts of one shape, with more than one element, so that the
// halves are on the fewest pages.
func HalvedAxis(dst, src index.Layout, dsize, ssize int) (axis int) {
	least := -1
	for k := range dst.NDim() {
		n := dst.Len(k)
		if n < 2 {
			continue
		}
		d, _ := part(dst, k, index.Range(0, n/2))
		s, _ := part(src, k, index.Range(0, n/2))
		pages := pagesOf(d, dsize) + pagesOf(s, ssize)
		if least < 0 || pages < least || pages == least && n > dst.Len(axis) {
			least, axis = pages, k
		}
	}
	return axis
}
