package reduce

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// A plan says what a tile is. It depends on all of the source, so that the order in which
// numbers are added up does not depend on how goroutines share it.
type plan struct {
	tile   []int // elements along each axis
	direct bool  // a tile is a matrix in memory: of the last axis, and of the axis other
	swap   int   // the bytes of its numbers, if they are reversed there, and else 0
	other  int   // -1 if there is none
	rows   bool  // the rows of the matrix are reduced, and else its columns
	order  []int // of the axes in the buffer
}

// String returns what is reduced, in which tiles: "columns in place, tiles of 8×4096", "rows gathered by axes 1 0,
// tiles of
// 4×1024".
func (p *plan) String() string {
	what, where, tile := "columns", "in place", ""
	if p.rows {
		what = "rows"
	}
	if !p.direct {
		where = "gathered by axes " + strings.Trim(fmt.Sprint(p.order), "[]")
	}
	if p.swap > 0 {
		where += ", bytes reversed"
	}
	for _, n := range p.tile {
		tile += "×" + strconv.Itoa(n)
	}
	return what + " " + where + ", tiles of " + strings.TrimPrefix(tile, "×")
}

// A block is a matrix of m rows, which are stride bytes apart, of n numbers. Number i of those
// that become one has the position that digits say, and pos is that of the first.
type block struct {
	p            pointer
	m, n, stride int
	swap         int // as in plan
	pos          int
	digits       []digit
}

// A digit of an index, which has n values, and counts for step positions.
type digit struct{ n, step int }

// position returns the position of number i.
func (b *block) position(i int) int {
	pos := b.pos
	for _, d := range slices.Backward(b.digits) {
		pos += i % d.n * d.step
		i /= d.n
	}
	return pos
}

// isDirect reports whether numbers are reduced where they are in memory, with swap as in plan.
func (e *engine) isDirect(swap int) bool {
	inner := e.axes[len(e.axes)-1]
	if swap == 0 && !e.load.IsPlain() || e.scrub || inner.srcStride != e.size || inner.n < directRun || inner.posStep < 0 {
		return false
	}
	if outside := e.reducedOutside(len(e.axes) - 1); inner.kept && outside >= 0 &&
		e.axes[outside].srcStride != inner.n*e.size &&
		(e.Op == Min || e.Op == Max) && inner.n >= shortRow && inner.n*e.width < kernel.ExtremeBytes {
		return false // there are no vectors for these, but for rows that follow one another
	}
	if last := len(e.axes) - 1; !inner.kept && last > 0 && !e.axes[last-1].kept && inner.n*e.size < leastRow {
		return false // rows that become one number are gathered to one
	}
	if e.isTurned() {
		return false
	}
	for _, p := range e.src {
		if !p.IsAligned(min(e.width, 8)) {
			return false
		}
	}
	return true
}

// isTurned reports whether rows are so short that they are turned into columns on the way to the buffer, for which
// there are better loops.
func (e *engine) isTurned() bool {
	last := len(e.axes) - 1
	inner := e.axes[last]
	if e.Op != Min && e.Op != Max && !e.hasMoments() || inner.kept || inner.n*e.width > shortRowBytes {
		return false
	}
	columns := 1 // of the axes outside, which are one or several as the destination decides
	for k := last - 1; k >= 0 && e.axes[k].kept; k-- {
		columns *= e.axes[k].n
	}
	return columns >= shortRow
}

// reversed returns the size of the numbers if their bytes are reversed in memory and package kernel takes them so, and
// else 0.
func (e *engine) reversed() int {
	inner := e.axes[len(e.axes)-1]
	swap := e.load.Reversed()
	if swap == 0 || inner.n*swap < leastReversed {
		return 0
	}
	isFloat := e.work.Kind() == dtype.KindFloat
	takes := false
	switch e.Op {
	case Sum, Mean, Min, Max:
		takes = !inner.kept || isFloat || swap < 8
	case ArgMin, ArgMax:
		takes = true
	case Var, Std:
		takes = swap == 8 && isFloat && !e.SkipNaN
	}
	if !takes || e.work.Kind() == dtype.KindComplex {
		return 0
	}
	return swap
}

func (e *engine) setPlan() {
	p := &e.plan
	*p = plan{tile: p.tile[:0], order: p.order[:0]}
	for range e.axes {
		p.tile = append(p.tile, 1)
	}
	p.other = -1
	if e.count == 0 {
		return
	}
	last := len(e.axes) - 1
	inner := e.axes[last]
	if swap := e.reversed(); e.isDirect(swap) {
		p.direct, p.swap, p.rows = true, swap, !inner.kept
		switch {
		case !inner.kept:
			if last > 0 && e.axes[last-1].kept {
				p.other = last - 1
			}
			p.tile[last] = min(inner.n, contiguousTileBytes/e.width)
		default:
			p.other = e.reducedOutside(last)
			p.tile[last] = min(inner.n, max(tileElements, directBytes/e.width))
			if p.other >= 0 {
				p.tile[last] = min(inner.n, directBytes/e.width)
			}
		}
		if p.other >= 0 {
			most := max(2*tileElements, directBytes/e.width)
			if e.hasMoments() {
				most = max(most, groupRows*p.tile[last]) // groups of rows are merged: few large ones
			}
			if p.tile[last]*e.size == e.axes[p.other].srcStride {
				most = max(most, contiguousTileBytes/e.width)
			}
			rows := max(tileRows, most/p.tile[last])
			if rows > groupRows {
				rows -= rows % groupRows
			}
			p.tile[p.other] = min(e.axes[p.other].n, rows)
		}
		return
	}
	most, columns := tileElements, tileColumns
	if e.hasMoments() {
		most = 2 * tileElements // of 8 bytes
		columns = most / groupRows
	}
	kept, reduced, results := 1, 1, 0
	leading, of := e.leading()
	for k := last; k >= 0; k-- {
		a := e.axes[k]
		left := most / (kept * reduced)
		if k == leading-1 {
			results = kept * min(of, left) // as if these axes were one: the destination decides whether they are
		}
		limit, outside := left, -1
		if a.kept {
			if outside = e.reducedOutside(k); outside >= 0 && kept*a.n > columns {
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
			t = min(e.axes[outside].n, most/(kept*reduced))
			p.tile[outside] = max(1, t)
			reduced *= p.tile[outside]
		}
		break
	}
	results = max(results, kept)
	p.rows = (!inner.kept && reduced >= shortRow || results < shortRow && reduced > results) && !e.isTurned()
	for _, kept := range []bool{p.rows, !p.rows} { // first what goes outside in the buffer
		first := len(p.order)
		for k, a := range e.axes {
			if a.kept == kept {
				p.order = append(p.order, k)
			}
		}
		if !kept && e.Op.isArg() { // in the order of the positions
			slices.SortStableFunc(p.order[first:], func(i, j int) int {
				return cmp.Compare(abs(e.axes[j].posStep),
					abs(e.axes[i].posStep))
			})
		}
	}
}

// leading returns how many of the first axes are kept, and how many results they have.
func (e *engine) leading() (axes, results int) {
	results = 1
	for axes < len(e.axes) && e.axes[axes].kept {
		results *= e.axes[axes].n
		axes++
	}
	return axes, results
}

func abs(i int) int { return max(i, -i) }

// reducedOutside returns the nearest axis around axis k that is reduced, -1 if there is none.
func (e *engine) reducedOutside(k int) int {
	for k--; k >= 0 && e.axes[k].kept; k-- {
	}
	return k
}

// A worker has what one goroutine needs.
type worker struct {
	buf    []byte
	n, idx []int // of the tile: its lengths, and where it is
	axes   []elem.Axis
	digits []digit
	block  block
}

var workers = sync.Pool{New: func() any { return &worker{buf: strided.Alloc(16 * tileElements)} }}

func (w *worker) free() {
	w.block = block{}
	workers.Put(w)
}

// tiles reduces b in this goroutine.
func (e *engine) tiles(b box, s states) {
	if both, ok := s.(*withMean); ok {
		e.tiles(b, both.states)
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
	off, at, pos := 0, b.at, b.pos
	may, _ := s.(settler)
	for {
		for k, t := range e.plan.tile {
			w.n[k] = min(t, b.n[k]-w.idx[k])
		}
		if may != nil && w.isSettled(e, may, at, pos) {
			// nothing changes
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

func (e *engine) directTile(w *worker, p pointer, at, pos int, s states) {
	last := len(e.axes) - 1
	inner := &e.axes[last]
	b := &w.block
	*b = block{p: p, m: 1, n: w.n[last], pos: pos}
	var a axis
	if e.plan.other >= 0 {
		a = e.axes[e.plan.other]
		b.m, b.stride = w.n[e.plan.other], a.srcStride
	}
	b.swap = e.plan.swap
	if e.plan.rows {
		w.digits = append(w.digits[:0], digit{b.n, inner.posStep})
		b.digits = w.digits
		s.rows(at, b)
		return
	}
	if a.posStep < 0 { // from the last row up: the first position comes first
		b.p, b.pos = add(b.p, (b.m-1)*b.stride), pos+(b.m-1)*a.posStep
		b.stride, a.posStep = -b.stride, -a.posStep
	}
	w.digits = append(w.digits[:0], digit{b.m, a.posStep})
	b.digits = w.digits
	s.columns(at, b)
}

func (e *engine) gatheredTile(w *worker, p pointer, at, pos int, s states) {
	w.axes, w.digits = w.axes[:0], w.digits[:0]
	kept, reduced := 1, 1
	for _, k := range e.plan.order {
		a, n := &e.axes[k], w.n[k]
		ss, ps := a.srcStride, a.posStep
		if ps < 0 { // downwards, so that positions go up
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
	e.load.Walk(elem.Merge(w.axes), buf, p)
	b := &w.block
	*b = block{p: buf, pos: pos, digits: w.digits}
	if e.plan.rows {
		b.m, b.n, b.stride = kept, reduced, reduced*e.width
		s.rows(at, b)
	} else {
		b.m, b.n, b.stride = reduced, kept, kept*e.width
		s.columns(at, b)
	}
}
