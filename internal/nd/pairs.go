package nd

import (
	"fmt"
	"runtime"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Pair holds two arrays of one shape, or the same selection of both.
type Pair struct {
	Dst, Src  Array
	Positions *Positions // of the elements in the whole array; nil if they are not needed
}

// Positions maps the elements of a selection to their positions in the whole array, in C order. The strides of its
// layout count elements instead of bytes.
type Positions struct {
	Layout index.Layout
	first  int
}

// Position returns the position in the whole array of element i of p, in C order of p.
func (p *Pair) Position(i int) int {
	at, lay := p.Positions.first, p.Positions.Layout
	for axis := lay.NDim() - 1; axis >= 0; axis-- {
		n := lay.Len(axis)
		at += i % n * lay.Stride(axis)
		i /= n
	}
	return at
}

// with applies derive to the layouts of p. derive returns a new layout and the offset of its first element.
func (p Pair) with(derive func(index.Layout) (index.Layout, int, error)) Pair {
	q := Pair{Dst: Must(p.Dst.Derive(derive(p.Dst.Layout))), Src: Must(p.Src.Derive(derive(p.Src.Layout)))}
	if p.Positions != nil {
		lay, off, err := derive(p.Positions.Layout)
		q.Positions = &Positions{Must(lay, err), p.Positions.first + off}
	}
	return q
}

// inOrderOf applies [Array.inOrderOf] to both arrays.
func (p Pair) inOrderOf(lay index.Layout) Pair { return p.with(orderOf(lay)) }

// cut applies [Array.cut] to both arrays.
func (p Pair) cut(k, n int) Pair {
	return p.with(func(lay index.Layout) (index.Layout, int, error) { return cutLayout(lay, k, n) })
}

// half returns half 0 or half 1 of p along an axis.
func (p Pair) half(axis, which int) Pair {
	return p.with(func(lay index.Layout) (index.Layout, int, error) { return halfLayout(lay, axis, which) })
}

// Map calls f with blocks of n Go values of a and of src at the same positions, and stores the values of a as f leaves
// them. Goroutines call f at the same time. Map returns the first error of f in the order of the memory.
//
// src is broadcast to the shape of a. It may be the same elements as a, but must not share memory with a otherwise.
func (a Array) Map(src Array, f func(dst, src pointer, n int) error) error {
	src, err := src.ForWriting(a)
	if err != nil || a.Layout.Size() == 0 {
		return err
	}
	if !a.IsSame(&src) && a.MayOverlap(&src) {
		return fmt.Errorf("%ssource and destination share memory, but are not the same elements: Clone the source",
			Prefix(a.Store.Mem.Path))
	}
	pass := NewPairPass(Pair{Dst: a, Src: src}, func(_ *Pair, _ int, d, s pointer, n int) error { return f(d, s, n) })
	pass.writesDst = true
	return pass.Run(nil)
}

// IsSame reports whether a and b have the same elements, in the same order. Elements are the same if they have the
// same address and size.
func (a *Array) IsSame(b *Array) bool {
	if a.P != b.P || !a.Layout.SameShape(b.Layout) || a.Store.DType.ItemSize() != b.Store.DType.ItemSize() ||
		!a.hasSameMembers(b) {
		return false
	}
	for axis := range a.Layout.NDim() {
		if a.Layout.Len(axis) > 1 && a.Layout.Stride(axis) != b.Layout.Stride(axis) {
			return false
		}
	}
	return true
}

// MayOverlap reports whether a may share memory with b.
func (a *Array) MayOverlap(b *Array) bool {
	if !a.Store.IsJoined() && !b.Store.IsJoined() {
		return strided.MayOverlap(a.Piece(), b.Piece())
	}
	return shareMemory(a, b)
}

// half returns half 0 or half 1 of a along an axis.
func (a Array) half(axis, which int) Array { return Must(a.Derive(halfLayout(a.Layout, axis, which))) }

func halfLayout(lay index.Layout, axis, which int) (index.Layout, int, error) {
	sel := make([]index.Selector, axis+1) // colons
	n := lay.Len(axis)
	sel[axis] = index.Range(strided.Bound(n, which, 2), strided.Bound(n, which+1, 2))
	return lay.Select(sel...)
}

// A PairPass goes once through two arrays of one shape, in parts that goroutines divide among themselves.
//
// Its axes are in the memory order of dst. If src has the same order, the parts follow each other in memory. If not,
// the pass halves both arrays repeatedly to make the parts, so that each part touches few pages of either array.
type PairPass struct {
	Pair // the whole arrays
	// Body is called with a part, and with n Go values of dst and src, which start at element at of that part.
	Body           func(part *Pair, at int, dst, src pointer, n int) error
	NumParts       int
	Transposed     bool // dst and src are in different orders, so the parts are made by halving
	requestedParts int  // NumParts may differ from it
	halvings       int  // if Transposed, how often to halve both arrays to get one part
	writesDst      bool // Body changes dst, so its values are stored
	cold           bool // if Transposed, whether elements are not in memory
	readahead      [2]*strided.Readahead
}

// NewPairPass prepares a pass through p that calls body.
func NewPairPass(p Pair, body func(part *Pair, at int, dst, src pointer, n int) error) *PairPass {
	dst, src := &p.Dst, &p.Src
	pass := &PairPass{Pair: p.inOrderOf(dst.Layout), Body: body}
	pass.requestedParts = PassParts(max(dst.onPages(), src.onPages()))
	pass.Transposed = isTransposed(pass.Dst.Layout, pass.Src.Layout) ||
		pass.requestedParts > 1 && !isOrdered(pass.Src.Layout)
	if pass.Transposed {
		for pass.NumParts = 1; pass.NumParts < pass.requestedParts; pass.NumParts *= 2 {
			pass.halvings++
		}
		pass.cold = !dst.Store.IsJoined() && !src.Store.IsJoined() && strided.IsCold(dst.Piece(), src.Piece())
		return pass
	}
	pass.NumParts = countParts(pass.Dst.Layout, pass.requestedParts)
	pass.readahead[0] = newReadahead(&pass.Dst, pass.NumParts)
	if IsSorted(pass.Src.Layout) {
		pass.readahead[1] = newReadahead(&pass.Src, pass.NumParts)
	}
	return pass
}

// Run does all parts and returns the first error in their order. If report is not nil, Run calls it between parts,
// several times a second, with the number of parts done, and stops if it returns an error.
func (pass *PairPass) Run(report func(done int) error) error {
	defer pass.readahead[0].Stop()
	defer pass.readahead[1].Stop()
	if pass.cold {
		defer strided.SuppressReadaheadIfLarge(pass.Dst.Piece(), pass.Src.Piece())()
	}
	least := pass.NumParts
	if report != nil {
		least = runtime.GOMAXPROCS(0) // all goroutines finish before each report
	}
	return strided.Waves(pass.NumParts, least, pass.NumParts, func(first, last int) error {
		_, err := InOrder(last-first, func(k int, failed *Failure) (struct{}, error) {
			return pass.doPart(first+k, func() bool { return failed.Before(k) })
		}, func(a, _ struct{}) struct{} { return a })
		if err == nil && report != nil {
			err = report(last)
		}
		return err
	})
}

// doPart calls Body for the elements of part k, until stop returns true.
func (pass *PairPass) doPart(k int, stop func() bool) (none struct{}, err error) {
	if !pass.Transposed {
		pass.readahead[0].Enter(k)
		pass.readahead[1].Enter(k)
		err = pass.walk(pass.cut(k, pass.requestedParts), stop)
		pass.readahead[0].Leave(k)
		pass.readahead[1].Leave(k)
		return none, err
	}
	part, ok := pass.halvedPart(k)
	if !ok {
		return none, nil
	}
	if pass.cold {
		part.Src.Piece().Prefetch(strided.Everywhere)
		part.Dst.Piece().Prefetch(strided.Everywhere)
	}
	err = pass.walkHalves(part, stop)
	if pass.cold {
		part.Src.Piece().Release(false)
		part.Dst.Piece().Release(pass.writesDst)
	}
	return none, err
}

// halvedPart returns part k of a pass that makes its parts by halving. Bit by bit, from the highest, k tells which half
// to take. ok is false if the part has no elements.
func (pass *PairPass) halvedPart(k int) (part Pair, ok bool) {
	part = pass.Pair
	for bit := pass.halvings - 1; bit >= 0; bit-- {
		if part.Dst.Layout.Size() < 2 {
			if k>>bit&1 == 1 {
				return part, false // half 0 has the only element
			}
			continue
		}
		axis := strided.HalvedAxis(part.Dst.Layout, part.Src.Layout, part.Dst.ItemSize(), part.Src.ItemSize())
		part = part.half(axis, k>>bit&1)
	}
	return part, true
}

// walkHalves halves p until both halves fit a block, so that both stay in the cache, and walks through each half.
func (pass *PairPass) walkHalves(p Pair, stop func() bool) error {
	if p.Dst.Layout.Size() < 2 || max(p.Dst.NBytes(), p.Src.NBytes()) <= strided.BlockBytes {
		return pass.walk(p, stop)
	}
	axis := axisToHalve(&p.Dst, &p.Src)
	err := pass.walkHalves(p.half(axis, 0), stop)
	if err == nil && !stop() {
		err = pass.walkHalves(p.half(axis, 1), stop)
	}
	return err
}

// walk calls Body with the blocks of p until stop returns true. If the blocks of dst and src differ in length, Body
// gets the longer block in several calls.
func (pass *PairPass) walk(p Pair, stop func() bool) error {
	var dstCursor, srcCursor Cursor
	dstCursor.blocks = true
	srcCursor.blocks = true
	dstCursor.Walk(&p.Dst, index.C)
	srcCursor.Walk(&p.Src, index.C)
	dstSize, srcSize := p.Dst.Store.Size, p.Src.Store.Size
	var s pointer
	at, left := 0, 0 // elements of p done, and elements left in the block of src, which start at s
	for !stop() {
		d, all := dstCursor.ReadBlock()
		if all == 0 {
			break
		}
		for done := 0; done < all; {
			if left == 0 {
				s, left = srcCursor.ReadBlock()
			}
			n := min(left, all-done)
			if err := pass.Body(&p, at, strided.Add(d, done*dstSize), s, n); err != nil {
				return err
			}
			done, at = done+n, at+n
			if left -= n; left > 0 {
				s = strided.Add(s, n*srcSize)
			}
		}
		if pass.writesDst {
			dstCursor.StoreBlock(all)
		}
	}
	return nil
}

// IsSorted reports whether C order is the memory order of lay and no stride is negative. It returns false if no axis
// has several indices.
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

// isOrdered reports whether C order is the memory order of lay, regardless of the signs of its strides.
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

// isTransposed reports whether the axis with the shortest stride in dst has a longer stride in src than another axis.
// The axes of dst are in memory order.
func isTransposed(dst, src index.Layout) bool {
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

// axisToHalve returns the axis along which to halve two arrays of more than one element: the axis with the longest
// stride in dst, except the fastest axes of dst and of src. If only these two are left, it returns the longer one.
func axisToHalve(dst, src *Array) int {
	a, b, far := fastestAxis(dst.Layout), fastestAxis(src.Layout), -1
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

// fastestAxis returns the axis with the shortest stride among the axes with several indices and a stride other than 0,
// and -1 if no such axis exists.
func fastestAxis(lay index.Layout) int {
	best := -1
	for axis := range lay.NDim() {
		if s := abs(lay.Stride(axis)); lay.Len(axis) > 1 && s > 0 && (best < 0 || s < abs(lay.Stride(best))) {
			best = axis
		}
	}
	return best
}
