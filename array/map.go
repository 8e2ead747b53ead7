package array

import (
	"fmt"
	"runtime"

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
	m := newMapping(tile{dst: c, src: src}, func(_ *tile, _ int, d, s pointer, n int) error { return f(d, s, n) })
	m.stores = true
	return m.run(nil)
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

// A mapping is a pass through two views, whose axes are in the order of the memory of dst.
type mapping struct {
	tile
	f        func(t *tile, at int, dst, src pointer, n int) error // of n elements, from number at of t on
	stores   bool                                                 // what f does to dst is stored
	about, n int                                                  // parts that were asked for, and that there are
	halves   int                                                  // how often both are halved if src lies in another order,
	crossed  bool                                                 // and whether it does
	cold     bool                                                 // elements of it are on a disk
	ahead    [2]*strided.Readahead
}

func newMapping(t tile, f func(t *tile, at int, dst, src pointer, n int) error) *mapping {
	dst, src := &t.dst, &t.src
	m := &mapping{tile: t.inOrderOf(dst.lay), f: f}
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

// run goes through all parts, and between some of them, several times a second, calls report, if there is one, with how
// many are done.
func (m *mapping) run(report func(done int) error) error {
	defer m.ahead[0].Stop()
	defer m.ahead[1].Stop()
	if m.cold {
		defer strided.Calm(m.dst.piece(), m.src.piece())()
	}
	least := m.n
	if report != nil {
		least = runtime.GOMAXPROCS(0) // the goroutines wait for one another after each time
	}
	return strided.Waves(m.n, least, m.n, func(first, last int) error {
		_, err := inOrder(last-first, func(k int, failed *failure) (struct{}, error) {
			return m.part(first+k, func() bool { return failed.before(k) })
		}, func(a, _ struct{}) struct{} { return a })
		if err == nil && report != nil {
			err = report(last)
		}
		return err
	})
}

// isSorted reports whether the axes of lay are in the order of its memory, all upwards.
func isSorted(lay index.Layout) bool {
	last := -1
	for axis := lay.NDim() - 1; axis >= 0; axis-- {
		if lay.Len(axis) > 1 {
			if lay.Stride(axis) < max(0, last) {
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
func (m *mapping) part(k int, stop func() bool) (none struct{}, err error) {
	if !m.crossed {
		m.ahead[0].Enter(k)
		m.ahead[1].Enter(k)
		err = m.blocks(m.cut(k, m.about), stop)
		m.ahead[0].Leave(k)
		m.ahead[1].Leave(k)
		return none, err
	}
	t, ok := m.crossedPart(k)
	if !ok {
		return none, nil
	}
	if m.cold {
		t.src.piece().WantAll()
		t.dst.piece().WantAll()
	}
	err = m.squares(t, stop)
	if m.cold {
		t.src.piece().Leave(false)
		t.dst.piece().Leave(m.stores)
	}
	return none, err
}

// crossedPart returns part k where src is transposed. It is false for one that has no elements.
func (m *mapping) crossedPart(k int) (t tile, ok bool) {
	t = m.tile
	for bit := m.halves - 1; bit >= 0; bit-- {
		if t.dst.lay.Size() < 2 {
			if k>>bit&1 == 1 {
				return t, false // the first half is all of it
			}
			continue
		}
		axis := strided.HalvedAxis(t.dst.lay, t.src.lay, t.dst.ItemSize(), t.src.ItemSize())
		t = t.half(axis, k>>bit&1)
	}
	return t, true
}

// squares halves two views until they have the size of a block.
func (m *mapping) squares(t tile, stop func() bool) error {
	if t.dst.lay.Size() < 2 || max(t.dst.NBytes(), t.src.NBytes()) <= strided.BlockBytes {
		return m.blocks(t, stop)
	}
	axis := halvedAxis(&t.dst, &t.src)
	err := m.squares(t.half(axis, 0), stop)
	if err == nil && !stop() {
		err = m.squares(t.half(axis, 1), stop)
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

// blocks calls f with the blocks of two views. Where one has longer blocks, f gets a part of
// them at a time.
func (m *mapping) blocks(t tile, stop func() bool) error {
	var dw, sw cursor
	dw.blocks = true
	sw.blocks = true
	dw.walk(&t.dst, index.C)
	sw.walk(&t.src, index.C)
	dsize, ssize := t.dst.el.size, t.src.el.size
	var s pointer
	at, left := 0, 0 // elements that are done, and of src from s on
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
			if err := m.f(&t, at, strided.Add(d, done*dsize), s, n); err != nil {
				return err
			}
			done, at = done+n, at+n
			if left -= n; left > 0 {
				s = strided.Add(s, n*ssize)
			}
		}
		if m.stores {
			dw.put(all)
		}
	}
	return nil
}
