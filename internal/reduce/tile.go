package reduce

import (
	"cmp"
	"slices"
	"sync"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// A plan describes the tiles. It depends only on the source, and not on how goroutines share it, because it determines
// the order in which numbers are added.
type plan struct {
	tile    []int // number of elements along each axis
	rows    bool  // whether the rows of a tile are reduced; otherwise its columns are
	direct  bool  // whether a tile is a matrix in memory; otherwise it is copied to a buffer
	rowAxis int   // if direct: the axis of the rows, or -1 if there is one row; the columns are the last axis
	swap    int   // if direct: the size of the numbers if their bytes are reversed in memory, otherwise 0
	order   []int // if not direct: the axes in the order of the buffer
}

// A block is a matrix of m rows of n numbers at p. The rows are stride bytes apart.
type block struct {
	p            pointer
	m, n, stride int
	swap         int // see plan.swap
	pos          int // the position of the first number
	digits       []digit
}

// A digit describes one digit of the index of a number in a reduced row or column. The index is written with one digit
// for each axis. The digit has n values; the positions for consecutive values differ by step.
type digit struct{ n, step int }

// position returns the position of number i in a row or column.
func (b *block) position(i int) int {
	pos := b.pos
	if len(b.digits) == 1 {
		return pos + i*b.digits[0].step
	}
	for _, d := range slices.Backward(b.digits) {
		pos += i % d.n * d.step
		i /= d.n
	}
	return pos
}

// isDirect reports whether numbers are reduced in memory, without a buffer. For swap see plan.
func (e *engine) isDirect(swap int) bool {
	last := len(e.axes) - 1
	inner := e.axes[last]
	if swap == 0 && !e.decode.IsPlain() || e.scrub || inner.srcStride != e.size || inner.n < directRun ||
		inner.posStep < 0 {
		return false
	}
	if outside := e.lastReducedBefore(last); inner.kept && outside >= 0 && e.axes[outside].srcStride != inner.n*e.size &&
		(e.Op == Min || e.Op == Max) && inner.n >= shortRow && inner.n*e.width < kernel.ExtremeBytes {
		return false // the loops for such short rows need rows without gaps
	}
	if !inner.kept && last > 0 && !e.axes[last-1].kept && inner.n*e.size < minRowBytes {
		return false // short rows of the same result are gathered to one row
	}
	isUnaligned := func(p strided.Piece) bool { return !p.IsAligned(min(e.width, 8)) }
	return !e.copiesRowsToColumns() && !slices.ContainsFunc(e.src, isUnaligned)
}

// copiesRowsToColumns reports whether rows are copied to columns of the buffer, because they are so short that loops
// over columns are faster.
func (e *engine) copiesRowsToColumns() bool {
	last := len(e.axes) - 1
	inner := e.axes[last]
	isShort := false
	switch {
	case e.work.Kind() == dtype.KindComplex:
		isShort = inner.n <= 16*shortRow
	case e.Op.isArg():
		isShort = inner.n <= 4*shortRow
	case e.Op == Min || e.Op == Max || e.hasMoments():
		isShort = inner.n*e.width <= shortRowBytes
	}
	if inner.kept || !isShort {
		return false
	}
	// Count the kept axes before the last axis, merged or not, because merging depends on the destination.
	columns := 1
	for k := last - 1; k >= 0 && e.axes[k].kept; k-- {
		columns *= e.axes[k].n
	}
	return columns >= shortRow
}

// reversedSize returns the size of the numbers if their bytes are reversed in memory and package kernel has a loop
// for such numbers. Otherwise it returns 0.
func (e *engine) reversedSize() int {
	inner := e.axes[len(e.axes)-1]
	swap := e.decode.Reversed()
	if swap == 0 || inner.n*swap < minReversedBytes {
		return 0
	}
	isFloat := e.work.Kind() == dtype.KindFloat
	takes := false
	switch e.Op {
	case Sum, Mean, Min, Max:
		takes = !inner.kept || isFloat || swap < 8
	case ArgMin, ArgMax:
		takes = !inner.kept
	case Var, Std:
		takes = swap == 8 && isFloat && !e.SkipNaN
	}
	if !takes || e.work.Kind() == dtype.KindComplex {
		return 0
	}
	return swap
}

// setPlan sets e.plan to the plan for the axes of e.
func (e *engine) setPlan() {
	p := &e.plan
	*p = plan{tile: p.tile[:0], order: p.order[:0], rowAxis: -1}
	for range e.axes {
		p.tile = append(p.tile, 1)
	}
	if e.count == 0 {
		return
	}
	if swap := e.reversedSize(); e.isDirect(swap) {
		p.swap = swap
		e.planDirect()
	} else {
		e.planGathered()
	}
}

// planDirect plans tiles in memory.
func (e *engine) planDirect() {
	p, last := &e.plan, len(e.axes)-1
	inner := e.axes[last]
	p.direct, p.rows = true, !inner.kept
	columns := contiguousTileBytes / e.width // the maximum number of columns
	switch p.rowAxis = e.lastReducedBefore(last); {
	case !inner.kept:
		if p.rowAxis = last - 1; last > 0 && !e.axes[last-1].kept {
			p.rowAxis = -1
		}
	case p.rowAxis < 0:
		columns = max(tileElements, directBytes/e.width)
	default:
		columns = directBytes / e.width
	}
	p.tile[last] = min(inner.n, columns)
	if p.rowAxis < 0 {
		return
	}
	maxElements := max(2*tileElements, directBytes/e.width) // the maximum number of elements
	if e.hasMoments() {
		maxElements = max(maxElements, groupRows*p.tile[last]) // a few large groups of rows, because groups are merged
	}
	if p.tile[last]*e.size == e.axes[p.rowAxis].srcStride {
		maxElements = max(maxElements, contiguousTileBytes/e.width)
	}
	rows := max(tileRows, maxElements/p.tile[last])
	if rows > groupRows {
		rows -= rows % groupRows
	}
	p.tile[p.rowAxis] = min(e.axes[p.rowAxis].n, rows)
}

// planGathered plans tiles that are copied to the buffer. A tile covers as many whole axes as fit in the buffer,
// starting with the last one, and a part of the next axis. If that axis is kept, the tile has fewer columns, and also
// covers elements along a reduced axis.
func (e *engine) planGathered() {
	p, last := &e.plan, len(e.axes)-1
	maxElements, columns := tileElements, tileColumns
	if e.hasMoments() {
		maxElements = 2 * tileElements // of 8 bytes
		columns = maxElements / groupRows
	}
	kept, reduced, results := 1, 1, 0 // elements of the tile along the kept axes, and along the reduced axes
	leading, leadResults := e.leadingKeptAxes()
	for k := last; k >= 0; k-- {
		a := e.axes[k]
		left := maxElements / (kept * reduced)
		if k == leading-1 {
			results = kept * min(leadResults, left) // as if these axes were merged, because merging depends on the destination
		}
		limit, outside := left, -1
		if a.kept {
			if outside = e.lastReducedBefore(k); outside >= 0 && kept*a.n > columns {
				limit = max(1, min(left, columns/kept))
			}
		}
		t := min(a.n, limit)
		p.tile[k] = t
		if a.kept {
			kept *= t
		} else {
			reduced *= t
		}
		if t == a.n {
			continue
		}
		if outside >= 0 {
			p.tile[outside] = max(1, min(e.axes[outside].n, maxElements/(kept*reduced)))
			reduced *= p.tile[outside]
		}
		break
	}
	results = max(results, kept)
	inner := e.axes[last]
	p.rows = (!inner.kept && reduced >= shortRow || results < shortRow && reduced > results) && !e.copiesRowsToColumns()
	for _, kept := range []bool{p.rows, !p.rows} { // first the axes across the rows of the buffer, then along them
		first := len(p.order)
		for k, a := range e.axes {
			if a.kept == kept {
				p.order = append(p.order, k)
			}
		}
		if !kept && e.Op.isArg() { // in the order of the positions
			slices.SortStableFunc(p.order[first:], func(i, j int) int {
				return cmp.Compare(abs(e.axes[j].posStep), abs(e.axes[i].posStep))
			})
		}
	}
}

// leadingKeptAxes returns the number of kept axes before the first reduced axis, and the product of their lengths.
func (e *engine) leadingKeptAxes() (axes, results int) {
	results = 1
	for axes < len(e.axes) && e.axes[axes].kept {
		results *= e.axes[axes].n
		axes++
	}
	return axes, results
}

func abs(i int) int { return max(i, -i) }

// lastReducedBefore returns the last reduced axis before axis k, or -1 if no such axis exists.
func (e *engine) lastReducedBefore(k int) int {
	for k--; k >= 0 && e.axes[k].kept; k-- {
	}
	return k
}

// A worker holds the buffers of one goroutine.
type worker struct {
	buf    []byte
	n, idx []int // lengths of the tile, and index of its first element in the box
	axes   []elem.Axis
	digits []digit
	block  block
}

var workers = sync.Pool{New: func() any { return &worker{buf: strided.Alloc(16 * tileElements)} }}

func (w *worker) free() {
	w.block = block{}
	workers.Put(w)
}

// tiles adds the tiles of b to s, in this goroutine.
func (e *engine) tiles(b box, s accumulators) {
	if both, ok := s.(*stdAndMean); ok {
		e.tiles(b, both.accumulators)
		e.mean.tiles(b, both.mean)
		return
	}
	w := workers.Get().(*worker)
	defer w.free()
	w.n, w.idx = append(w.n[:0], b.n...), append(w.idx[:0], b.n...)
	clear(w.idx)
	if slices.Contains(b.n, 0) {
		return
	}
	off, at, pos := 0, b.state, b.pos
	settles, _ := s.(settleable)
	for {
		for k, t := range e.plan.tile {
			w.n[k] = min(t, b.n[k]-w.idx[k])
		}
		if settles != nil && w.isSettled(e, settles, at, pos) {
			// the tile changes nothing
		} else if e.plan.direct {
			e.directTile(w, add(b.p, off), at, pos, s)
		} else {
			e.gatheredTile(w, add(b.p, off), at, pos, s)
		}
		k := len(b.n) - 1
		for ; k >= 0; k-- {
			a, t := &e.axes[k], e.plan.tile[k]
			w.idx[k] += t
			off, at, pos = off+t*a.srcStride, at+t*a.stateStep, pos+t*a.posStep
			if w.idx[k] < b.n[k] {
				break
			}
			off, at, pos = off-w.idx[k]*a.srcStride, at-w.idx[k]*a.stateStep, pos-w.idx[k]*a.posStep
			w.idx[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// directTile adds the tile at p to s. at is the first accumulator of the tile, and pos the position of its first
// element.
func (e *engine) directTile(w *worker, p pointer, at, pos int, s accumulators) {
	last := len(e.axes) - 1
	inner := &e.axes[last]
	b := &w.block
	*b = block{p: p, m: 1, n: w.n[last], swap: e.plan.swap, pos: pos}
	var a axis
	if e.plan.rowAxis >= 0 {
		a = e.axes[e.plan.rowAxis]
		b.m, b.stride = w.n[e.plan.rowAxis], a.srcStride
	}
	if e.plan.rows {
		w.digits = append(w.digits[:0], digit{b.n, inner.posStep})
		b.digits = w.digits
		s.addRows(at, b)
		return
	}
	if a.posStep < 0 { // start with the last row, so that positions ascend
		b.p, b.pos = add(b.p, (b.m-1)*b.stride), pos+(b.m-1)*a.posStep
		b.stride, a.posStep = -b.stride, -a.posStep
	}
	w.digits = append(w.digits[:0], digit{b.m, a.posStep})
	b.digits = w.digits
	s.addColumns(at, b)
}

// gatheredTile copies a tile to the buffer, and adds it to s like directTile.
func (e *engine) gatheredTile(w *worker, p pointer, at, pos int, s accumulators) {
	w.axes, w.digits = w.axes[:0], w.digits[:0]
	kept, reduced := 1, 1
	for _, k := range e.plan.order {
		a, n := &e.axes[k], w.n[k]
		ss, ps := a.srcStride, a.posStep
		if ps < 0 { // in reverse, so that positions ascend
			p, pos = add(p, (n-1)*ss), pos+(n-1)*ps
			ss, ps = -ss, -ps
		}
		w.axes = append(w.axes, elem.Axis{N: n, SS: ss})
		if a.kept {
			kept *= n
		} else {
			reduced *= n
			if e.Op.isArg() {
				w.digits = append(w.digits, digit{n, ps})
			}
		}
	}
	stride := e.width
	for k := range slices.Backward(w.axes) {
		w.axes[k].DS = stride
		stride *= w.axes[k].N
	}
	buf := strided.Start(w.buf)
	e.decode.Walk(elem.Merge(w.axes), buf, p)
	b := &w.block
	*b = block{p: buf, pos: pos, digits: w.digits}
	if e.plan.rows {
		b.m, b.n, b.stride = kept, reduced, reduced*e.width
		s.addRows(at, b)
	} else {
		b.m, b.n, b.stride = reduced, kept, kept*e.width
		s.addColumns(at, b)
	}
}
