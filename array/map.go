package array

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Map calls f with the elements of dst and those of src, block by block, and stores what f has done to those of dst.
// Element i of both slices, which are of one length, is that of the same position. Goroutines share the calls. If f
// returns an error, Map returns it as it is: of several, the one that a single goroutine would have come to first.
//
// The shape of src must be that of dst or broadcast to it; otherwise the error wraps [ErrShape]. If dst is read-only it
// wraps [ErrReadOnly]. The two may be the same elements, also as different types (see [Cast]); if they share memory in
// another way, or strides of many axes leave that open, Map returns an error before it calls f. It does not notice
// memory that two mappings of one file share, nor elements of dst that share memory with one another.
//
// Blocks have up to 64 KiB, are valid until f returns, and depend on the two views alone. All elements of a block of
// dst are stored, as by [View.Update]; the one of src must not be written to.
func Map[D, S any](dst View[D], src View[S], f func(dst []D, src []S) error) error {
	return dst.view.mapFrom(src.view, func(d, s pointer, n int) error {
		return f(strided.Slice[D](d, n), strided.Slice[S](s, n))
	})
}

// mapFrom is Map, with f that takes n elements.
func (c view) mapFrom(src view, f func(dst, src pointer, n int) error) error {
	src, err := src.forWriting(c)
	if err != nil || c.lay.Size() == 0 {
		return err
	}
	if !c.isSame(&src) && c.mayOverlap(&src) {
		return fmt.Errorf("%ssource and destination share memory, but are not the same elements: Clone the source",
			prefix(c.el.mem.Path))
	}
	m := newMapping(c, src, f)
	defer m.ahead[0].Stop()
	defer m.ahead[1].Stop()
	if m.cold {
		defer strided.Calm(m.dst.piece(), m.src.piece())()
	}
	_, err = inOrder(m.n, m.part, func(a, b struct{}) struct{} { return a })
	return err
}

// isSame reports whether c and d have the same elements, in the same order.
func (c *view) isSame(d *view) bool {
	if c.p != d.p || !c.lay.SameShape(d.lay) || c.el.dtype.ItemSize() != d.el.dtype.ItemSize() || !c.isOfSameParts(d) {
		return false
	}
	for axis := range c.lay.NDim() {
		if c.lay.Len(axis) > 1 && c.lay.Stride(axis) != d.lay.Stride(axis) {
			return false
		}
	}
	return true
}

// mayOverlap reports whether c may share memory with d.
func (c *view) mayOverlap(d *view) bool {
	if c.el.isWhole() && d.el.isWhole() {
		return strided.MayOverlap(c.piece(), d.piece())
	}
	return shareMemory(c, d)
}

// A mapping is what Map knows of its two views, whose axes are in the order of the memory of dst.
type mapping struct {
	dst, src view
	f        func(dst, src pointer, n int) error
	about, n int  // parts that were asked for, and that there are
	halves   int  // how often both are halved if src lies in another order,
	crossed  bool // and whether it does
	cold     bool // elements of it are on a disk
	ahead    [2]*strided.Readahead
}

func newMapping(dst, src view, f func(dst, src pointer, n int) error) *mapping {
	m := &mapping{dst: dst.inOrderOf(dst.lay), src: src.inOrderOf(dst.lay), f: f}
	m.about = passParts(max(dst.onPages(), src.onPages()))
	if m.crossed = isCrossed(m.dst.lay, m.src.lay) || m.about > 1 && !isOrdered(m.src.lay); m.crossed {
		for m.n = 1; m.n < m.about; m.n *= 2 {
			m.halves++
		}
		m.cold = dst.el.isWhole() && src.el.isWhole() && strided.IsCold(dst.piece(), src.piece())
		return m
	}
	m.n = countParts(m.dst.lay, m.about)
	m.ahead[0] = readahead(&m.dst, m.n)
	if isSorted(m.src.lay) {
		m.ahead[1] = readahead(&m.src, m.n)
	}
	return m
}

// isSorted reports whether the axes of lay are in the order of its memory, all upwards.
func isSorted(lay index.Layout) bool {
	last := -1
	for axis := lay.NDim() - 1; axis >= 0; axis-- {
		if lay.Len(axis) > 1 {
			if lay.Stride(axis) < last {
				return false
			}
			last = lay.Stride(axis)
		}
	}
	return last >= 0
}

// isOrdered reports whether the axes of lay are in the order of its memory, in whatever direction.
func isOrdered(lay index.Layout) bool {
	last := 0
	for axis := lay.NDim() - 1; axis >= 0; axis-- {
		if s := abs(lay.Stride(axis)); lay.Len(axis) > 1 && s > 0 {
			if s < last {
				return false
			}
			last = s
		}
	}
	return true
}

// isCrossed reports whether src, along the axis along which dst lies in memory, jumps further
// than along another.
func isCrossed(dst, src index.Layout) bool {
	inner := 0
	for axis := dst.NDim() - 1; axis >= 0; axis-- {
		switch s := abs(src.Stride(axis)); {
		case src.Len(axis) < 2:
		case inner == 0:
			inner = s
		case s > 0 && s < inner:
			return true
		}
	}
	return false
}

// part does part k.
func (m *mapping) part(k int, failed *failure) (none struct{}, err error) {
	if !m.crossed {
		m.ahead[0].Enter(k)
		m.ahead[1].Enter(k)
		err = m.blocks(m.dst.cut(k, m.about), m.src.cut(k, m.about), func() bool { return failed.before(k) })
		m.ahead[0].Leave(k)
		m.ahead[1].Leave(k)
		return none, err
	}
	if m.cold {
		m.want(k)
	}
	dst, src, ok := m.crossedPart(k)
	if !ok {
		return none, nil
	}
	err = m.squares(dst, src, func() bool { return failed.before(k) })
	if m.cold {
		src.piece().Leave(false)
		dst.piece().Leave(true)
	}
	return none, err
}

// want has the pages of part k read, where src is on a disk and transposed.
func (m *mapping) want(k int) {
	if dst, src, ok := m.crossedPart(k); ok {
		src.piece().WantAll()
		dst.piece().WantAll()
	}
}

// crossedPart returns part k where src is transposed. It is false for one that has no elements.
func (m *mapping) crossedPart(k int) (dst, src view, ok bool) {
	dst, src = m.dst, m.src
	for bit := m.halves - 1; bit >= 0; bit-- {
		if dst.lay.Size() < 2 {
			if k>>bit&1 == 1 {
				return dst, src, false // the first half is all of it
			}
			continue
		}
		axis := strided.HalvedAxis(dst.lay, src.lay, dst.ItemSize(), src.ItemSize())
		dst, src = dst.half(axis, k>>bit&1), src.half(axis, k>>bit&1)
	}
	return dst, src, true
}

// squares halves two views until they have the size of a block.
func (m *mapping) squares(dst, src view, stop func() bool) error {
	if dst.lay.Size() < 2 || max(dst.NBytes(), src.NBytes()) <= strided.BlockBytes {
		return m.blocks(dst, src, stop)
	}
	axis := halvedAxis(&dst, &src)
	err := m.squares(dst.half(axis, 0), src.half(axis, 0), stop)
	if err == nil && !stop() {
		err = m.squares(dst.half(axis, 1), src.half(axis, 1), stop)
	}
	return err
}

// halvedAxis returns the axis along which to halve two views of more than one element: that
// with the largest stride, but for the two along which their elements are closest together,
// and then the longer one of these.
func halvedAxis(dst, src *view) int {
	a, b, far := innermost(dst.lay), innermost(src.lay), -1
	for axis := range dst.lay.NDim() {
		if axis != a && axis != b && dst.lay.Len(axis) > 1 && (far < 0 ||
			abs(dst.lay.Stride(axis)) > abs(dst.lay.Stride(far))) {
			far = axis
		}
	}
	switch {
	case far >= 0:
		return far
	case a < 0 || b >= 0 && src.lay.Len(b) > dst.lay.Len(a):
		return b
	}
	return a
}

// innermost returns the axis of more than one element with the smallest stride, -1 if all have
// stride 0.
func innermost(lay index.Layout) int {
	best := -1
	for axis := range lay.NDim() {
		if s := abs(lay.Stride(axis)); lay.Len(axis) > 1 && s > 0 && (best < 0 || s < abs(lay.Stride(best))) {
			best = axis
		}
	}
	return best
}

// half returns the first or the second half of c along an axis.
func (c view) half(axis, which int) view {
	sel := make([]index.Selector, axis+1) // colons
	n := c.lay.Len(axis)
	sel[axis] = index.Range(strided.Bound(n, which, 2), strided.Bound(n, which+1, 2))
	return must(c.derive(c.lay.Select(sel...)))
}

// blocks calls f with the blocks of two views. Where one has longer blocks, f gets a part of
// them at a time.
func (m *mapping) blocks(dst, src view, stop func() bool) error {
	var dw, sw cursor
	dw.blocks = true
	sw.blocks = true
	dw.walk(&dst, index.C)
	sw.walk(&src, index.C)
	dsize, ssize := dst.el.size, src.el.size
	var s pointer
	left := 0 // elements of src from s on
	for !stop() {
		d, all := dw.nextBlock()
		if all == 0 {
			break
		}
		for done := 0; done < all; {
			if left == 0 {
				s, left = sw.nextBlock()
			}
			n := min(left, all-done)
			if err := m.f(strided.Add(d, done*dsize), s, n); err != nil {
				return err
			}
			done += n
			if left -= n; left > 0 {
				s = strided.Add(s, n*ssize)
			}
		}
		dw.put(all)
	}
	return nil
}
