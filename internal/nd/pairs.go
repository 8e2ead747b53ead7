package nd

import (
	"fmt"
	"runtime"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Pair is the same part of two views.
type Pair struct {
	Dst, Src Array
	At       *Positions // of its elements; nil where nobody asks
}

// Positions say where elements of a tile are among all, in C order: the layout has that in place of bytes.
type Positions struct {
	Layout index.Layout
	first  int
}

// with returns t with what derives a layout, and where it starts, from a layout.
func (t Pair) with(derive func(index.Layout) (index.Layout, int, error)) Pair {
	u := Pair{Dst: Must(t.Dst.Derive(derive(t.Dst.Layout))), Src: Must(t.Src.Derive(derive(t.Src.Layout)))}
	if t.At != nil {
		lay, off, err := derive(t.At.Layout)
		u.At = &Positions{Must(lay, err), t.At.first + off}
	}
	return u
}

// inOrderOf is [view.inOrderOf] of both.
func (t Pair) inOrderOf(lay index.Layout) Pair { return t.with(orderOf(lay)) }

// cut is [view.cut] of both.
func (t Pair) cut(k, n int) Pair {
	return t.with(func(lay index.Layout) (index.Layout, int, error) { return cutLayout(lay, k, n) })
}

// half returns the first or the second half along an axis.
func (t Pair) half(axis, which int) Pair {
	return t.with(func(lay index.Layout) (index.Layout, int, error) { return halfLayout(lay, axis, which) })
}

// Position returns that of element i of t in the order of its axes.
func (t *Pair) Position(i int) int {
	at, lay := t.At.first, t.At.Layout
	for axis := lay.NDim() - 1; axis >= 0; axis-- {
		n := lay.Len(axis)
		at += i % n * lay.Stride(axis)
		i /= n
	}
	return at
}

// half returns the first or the second half of c along an axis.
func (c Array) half(axis, which int) Array { return Must(c.Derive(halfLayout(c.Layout, axis, which))) }

func halfLayout(lay index.Layout, axis, which int) (index.Layout, int, error) {
	sel := make([]index.Selector, axis+1) // colons
	n := lay.Len(axis)
	sel[axis] = index.Range(strided.Bound(n, which, 2), strided.Bound(n, which+1, 2))
	return lay.Select(sel...)
}

// Map is Map, with f that takes n elements.
func (c Array) Map(src Array, f func(dst, src pointer, n int) error) error {
	src, err := src.ForWriting(c)
	if err != nil || c.Layout.Size() == 0 {
		return err
	}
	if !c.IsSame(&src) && c.MayOverlap(&src) {
		return fmt.Errorf("%ssource and destination share memory, but are not the same elements: Clone the source",
			Prefix(c.Store.Mem.Path))
	}
	m := NewPairPass(Pair{Dst: c, Src: src}, func(_ *Pair, _ int, d, s pointer, n int) error { return f(d, s, n) })
	m.stores = true
	return m.Run(nil)
}

// IsSame reports whether c and d have the same elements, in the same order.
func (c *Array) IsSame(d *Array) bool {
	if c.P != d.P || !c.Layout.SameShape(d.Layout) || c.Store.DType.ItemSize() != d.Store.DType.ItemSize() || !c.isOfSameParts(d) {
		return false
	}
	for axis := range c.Layout.NDim() {
		if c.Layout.Len(axis) > 1 && c.Layout.Stride(axis) != d.Layout.Stride(axis) {
			return false
		}
	}
	return true
}

// MayOverlap reports whether c may share memory with d.
func (c *Array) MayOverlap(d *Array) bool {
	if c.Store.IsWhole() && d.Store.IsWhole() {
		return strided.MayOverlap(c.Piece(), d.Piece())
	}
	return shareMemory(c, d)
}

// A PairPass is a pass through two views, whose axes are in the order of the memory of dst.
type PairPass struct {
	Pair
	Body     func(t *Pair, at int, dst, src pointer, n int) error // of n elements, from number at of t on
	stores   bool                                                 // what f does to dst is stored
	about, N int                                                  // parts that were asked for, and that there are
	halves   int                                                  // how often both are halved if src lies in another order,
	Crossed  bool                                                 // and whether it does
	cold     bool                                                 // elements of it are on a disk
	ahead    [2]*strided.Readahead
}

func NewPairPass(t Pair, f func(t *Pair, at int, dst, src pointer, n int) error) *PairPass {
	dst, src := &t.Dst, &t.Src
	m := &PairPass{Pair: t.inOrderOf(dst.Layout), Body: f}
	m.about = PassParts(max(dst.onPages(), src.onPages()))
	if m.Crossed = isCrossed(m.Dst.Layout, m.Src.Layout) || m.about > 1 && !isOrdered(m.Src.Layout); m.Crossed {
		for m.N = 1; m.N < m.about; m.N *= 2 {
			m.halves++
		}
		m.cold = dst.Store.IsWhole() && src.Store.IsWhole() && strided.IsCold(dst.Piece(), src.Piece())
		return m
	}
	m.N = countParts(m.Dst.Layout, m.about)
	m.ahead[0] = readahead(&m.Dst, m.N)
	if IsSorted(m.Src.Layout) {
		m.ahead[1] = readahead(&m.Src, m.N)
	}
	return m
}

// Run goes through all parts, and between some of them, several times a second, calls report, if there is one, with how
// many are done.
func (m *PairPass) Run(report func(done int) error) error {
	defer m.ahead[0].Stop()
	defer m.ahead[1].Stop()
	if m.cold {
		defer strided.SuppressReadaheadIfLarge(m.Dst.Piece(), m.Src.Piece())()
	}
	least := m.N
	if report != nil {
		least = runtime.GOMAXPROCS(0) // the goroutines wait for one another after each time
	}
	return strided.Waves(m.N, least, m.N, func(first, last int) error {
		_, err := InOrder(last-first, func(k int, failed *Failure) (struct{}, error) {
			return m.part(first+k, func() bool { return failed.Before(k) })
		}, func(a, _ struct{}) struct{} { return a })
		if err == nil && report != nil {
			err = report(last)
		}
		return err
	})
}

// IsSorted reports whether the axes of lay are in the order of its memory, all upwards.
func IsSorted(lay index.Layout) bool {
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
func (m *PairPass) part(k int, stop func() bool) (none struct{}, err error) {
	if !m.Crossed {
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
		t.Src.Piece().Prefetch(strided.Everywhere)
		t.Dst.Piece().Prefetch(strided.Everywhere)
	}
	err = m.squares(t, stop)
	if m.cold {
		t.Src.Piece().Release(false)
		t.Dst.Piece().Release(m.stores)
	}
	return none, err
}

// crossedPart returns part k where src is transposed. It is false for one that has no elements.
func (m *PairPass) crossedPart(k int) (t Pair, ok bool) {
	t = m.Pair
	for bit := m.halves - 1; bit >= 0; bit-- {
		if t.Dst.Layout.Size() < 2 {
			if k>>bit&1 == 1 {
				return t, false // the first half is all of it
			}
			continue
		}
		axis := strided.HalvedAxis(t.Dst.Layout, t.Src.Layout, t.Dst.ItemSize(), t.Src.ItemSize())
		t = t.half(axis, k>>bit&1)
	}
	return t, true
}

// squares halves two views until they have the size of a block.
func (m *PairPass) squares(t Pair, stop func() bool) error {
	if t.Dst.Layout.Size() < 2 || max(t.Dst.NBytes(), t.Src.NBytes()) <= strided.BlockBytes {
		return m.blocks(t, stop)
	}
	axis := halvedAxis(&t.Dst, &t.Src)
	err := m.squares(t.half(axis, 0), stop)
	if err == nil && !stop() {
		err = m.squares(t.half(axis, 1), stop)
	}
	return err
}

// halvedAxis returns the axis along which to halve two views of more than one element: that
// with the largest stride, but for the two along which their elements are closest together,
// and then the longer one of these.
func halvedAxis(dst, src *Array) int {
	a, b, far := innermost(dst.Layout), innermost(src.Layout), -1
	for axis := range dst.Layout.NDim() {
		if axis != a && axis != b && dst.Layout.Len(axis) > 1 && (far < 0 ||
			abs(dst.Layout.Stride(axis)) > abs(dst.Layout.Stride(far))) {
			far = axis
		}
	}
	switch {
	case far >= 0:
		return far
	case a < 0 || b >= 0 && src.Layout.Len(b) > dst.Layout.Len(a):
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
func (m *PairPass) blocks(t Pair, stop func() bool) error {
	var dw, sw Cursor
	dw.blocks = true
	sw.blocks = true
	dw.Walk(&t.Dst, index.C)
	sw.Walk(&t.Src, index.C)
	dsize, ssize := t.Dst.Store.Size, t.Src.Store.Size
	var s pointer
	at, left := 0, 0 // elements that are done, and of src from s on
	for !stop() {
		d, all := dw.ReadBlock()
		if all == 0 {
			break
		}
		for done := 0; done < all; {
			if left == 0 {
				s, left = sw.ReadBlock()
			}
			n := min(left, all-done)
			if err := m.Body(&t, at, strided.Add(d, done*dsize), s, n); err != nil {
				return err
			}
			done, at = done+n, at+n
			if left -= n; left > 0 {
				s = strided.Add(s, n*ssize)
			}
		}
		if m.stores {
			dw.StoreBlock(all)
		}
	}
	return nil
}
