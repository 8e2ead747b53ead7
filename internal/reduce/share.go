package reduce

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// piece returns b, which is in mem, as a Piece.
func (e *engine) piece(b box, mem *strided.Memory) strided.Piece {
	strides := make([]int, len(e.axes))
	for k, a := range e.axes {
		strides[k] = a.srcStride
	}
	lay, err := index.Strided(b.n, strides)
	if err != nil {
		panic(fmt.Errorf("array: bug: %w", err))
	}
	return strided.Piece{P: b.p, Layout: lay, ItemSize: e.size, Mem: mem}
}

// newPass returns a pass of n parts for a reduction of size bytes. It reports progress at least once every maxParts
// parts.
func (e *engine) newPass(n, maxParts, size int) strided.Pass {
	p := strided.Pass{Parts: n, MaxUnreported: maxParts}
	p.ReportBytes(size, e.Progress)
	return p
}

// readAhead makes p read ahead in b, which is reduced in n parts. It does nothing if the parts are so large that walk
// divides them.
func (e *engine) readAhead(p *strided.Pass, b box, mem *strided.Memory, n int) {
	if mem.File == nil {
		return
	}
	if q := e.piece(b, mem); q.OnPages()/max(1, n) <= maxSlabBytes {
		p.ReadAhead(q, n)
	}
}

// walk reduces b in this goroutine. If the elements are on many pages of a file that are not in memory, walk divides b
// and prefetches the pages of one part at a time.
func (e *engine) walk(b box, s accumulators, mem *strided.Memory) {
	if mem.File == nil {
		e.tilesOf(b, s, mem)
		return
	}
	p := e.piece(b, mem)
	pages := p.OnPages()
	if pages > walkBytes && pages > 2*e.bytes(b) && strided.IsCold(p, p) {
		parts := e.halveBox(nil, b, mem)
		pass := strided.Pass{Parts: len(parts), InTurn: true}
		pass.PageByPart(func(k int, visit func(q strided.Piece, after strided.After)) {
			visit(e.piece(parts[k], mem), strided.Keep)
		}, p)
		pass.Run(func(k int, _ *strided.Failure) error {
			e.tiles(parts[k], s)
			return nil
		})
		return
	}
	if pages <= walkBytes {
		p.Prefetch(strided.WhereScattered)
	}
	e.tiles(b, s)
}

// tilesOf reduces b, which is in mem, in this goroutine.
func (e *engine) tilesOf(b box, s accumulators, mem *strided.Memory) {
	if mem.Fetch == nil {
		e.tiles(b, s)
		return
	}
	e.eachFetched(b, mem, func(part box) error { e.tiles(part, s); return nil })
}

// eachFetched fetches the elements of b to memory, a part at a time, and calls f with each part, until f returns an
// error. It returns that error. If the elements cannot be fetched, eachFetched returns nil: the caller of the reduction
// knows.
func (e *engine) eachFetched(b box, mem *strided.Memory, f func(part box) error) error {
	for _, part := range e.halveBox(nil, b, mem) {
		first, free := mem.Fetch(e.piece(part, mem))
		if first == nil {
			return nil
		}
		part.p = first
		err := f(part)
		if free(); err != nil {
			return err
		}
	}
	return nil
}

// prefetchShort prefetches the pages of b if b is short. b is one of several boxes that are reduced in turn.
func (e *engine) prefetchShort(b box, mem *strided.Memory) {
	if mem.File != nil {
		e.piece(b, mem).Prefetch(strided.WhereShort)
	}
}

// halveBox halves b repeatedly into boxes with up to walkBytes of pages, and appends these to parts. The boxes have the
// same tiles as b, in the same order.
func (e *engine) halveBox(parts []box, b box, mem *strided.Memory) []box {
	k := 0 // the first axis with several tiles
	for k < len(b.n)-1 && b.n[k] <= e.cutMultiple(k) {
		k++
	}
	p, t := e.piece(b, mem), e.cutMultiple(k)
	pages := p.OnPages()
	if mem.Fetch != nil {
		pages = strided.RangePages(p.Layout, p.ItemSize, mem.Gap)
	}
	if pages > walkBytes && b.n[k] > t {
		mid := (b.n[k]/t + 1) / 2 * t
		return e.halveBox(e.halveBox(parts, e.cut(b, k, 0, mid), mem), e.cut(b, k, mid, b.n[k]), mem)
	}
	return append(parts, b)
}

// reduceSeparately divides the box along kept axes, so that no two parts share a result. One goroutine reduces each
// part and stores its results. reduceSeparately does nothing and returns false if partCounts returns nil.
func (e *engine) reduceSeparately() (bool, error) {
	cuts := e.partCounts()
	if len(cuts) == 0 {
		return false, nil
	}
	parts := 1
	for _, n := range cuts {
		parts *= n
	}
	b := e.boxes[0]
	size := e.bytes(b)
	p := e.newPass(parts, max(1, waveBytes/(size/parts)), size)
	e.readAhead(&p, b, e.src[0].Mem, parts)
	return true, p.Run(func(k int, _ *strided.Failure) error {
		part, dst := e.partOf(b, cuts, k)
		m := scratches.Get().(*scratch)
		defer m.free()
		s := e.newAccumulators(m, e.resultCount(part))
		e.walk(part, s, e.src[0].Mem)
		return e.store(m, s, part, len(cuts)-1, dst)
	})
}

// partCounts returns the number of parts into which reduceSeparately divides each of the first axes. It returns nil
// if the elements at one index of the leading kept axes exceed the size of a part, or have more than maxStates
// results. It also returns nil for several boxes, because they may be in several files, which are read in turn.
func (e *engine) partCounts() []int {
	b := e.boxes[0]
	lead, n := e.leadingKeptAxes()
	size, states := e.bytes(b), e.resultCount(b)/n // number of results at one index
	part := partBytes(size)
	if len(e.boxes) > 1 || n == 1 || size < minSharedBytes || size/n > part || states > maxStates {
		return nil
	}
	limit := max(1, min(part/(size/n), cachedStates/states)) // maximum number of indices in a part
	var cuts []int
	for _, length := range b.n[:lead] {
		n /= length
		if n <= limit {
			per := limit / n // indices of this axis in a part
			return append(cuts, (length+per-1)/per)
		}
		cuts = append(cuts, length)
	}
	return cuts
}

// partOf returns part i of b, with its first result in accumulator 0, and the address of that result in the
// destination. cuts is the result of partCounts.
func (e *engine) partOf(b box, cuts []int, i int) (box, pointer) {
	dst := e.dst.P
	for k, n := range slices.Backward(cuts) {
		lo, hi := strided.Bound(b.n[k], i%n, n), strided.Bound(b.n[k], i%n+1, n)
		b = e.cut(b, k, lo, hi)
		dst = add(dst, lo*e.axes[k].dstStride)
		i /= n
	}
	b.state = 0
	return b, dst
}

// A sharing is a way in which goroutines share a box.
type sharing uint8

const (
	oneGoroutine sharing = iota // one goroutine reduces all elements
	separate                    // each reduces parts along the leading axes, and stores their results
	indexByIndex                // the indices along the outermost axis are shared in turn
	ownResults                  // each reduces parts along the outermost axis that do not share results
	merged                      // each reduces parts along the outermost axis to new accumulators, which are merged in order
	inSlabs                     // each computes some of the results, and adds the elements slab by slab
)

var sharingNames = [...]string{"one goroutine", "separate", "index by index", "own results", "merged", "in slabs"}

func (s sharing) String() string { return sharingNames[s] }

// chooseSharing returns the way in which goroutines share b, and the axis k along which they do.
func (e *engine) chooseSharing(b box) (way sharing, k int) {
	size := e.bytes(b)
	if k = b.outermostAxis(); size < minSharedBytes || k < 0 {
		return oneGoroutine, k
	}
	kept, few := e.axes[k].kept, e.resultCount(b) <= fewStates
	switch {
	case size/b.n[k] > 2*strided.PartBytes && (kept || few):
		return indexByIndex, k
	case kept:
		return ownResults, k
	case few:
		return merged, k
	}
	return inSlabs, k
}

// reduceBox reduces b, which is in mem. Goroutines share b if it is large.
func (e *engine) reduceBox(b box, s accumulators, mem *strided.Memory) error {
	size := e.bytes(b)
	if e.areSettled(s, b.state, e.resultCount(b)) {
		return e.report(size)
	}
	switch way, k := e.chooseSharing(b); way {
	case oneGoroutine:
		e.walk(b, s, mem)
		return e.report(size)
	case indexByIndex:
		for i := range b.n[k] {
			if err := e.reduceBox(e.cut(b, k, i, i+1), s, mem); err != nil {
				return err
			}
		}
		return nil
	case inSlabs:
		return e.reduceSlabs(b, k, size/b.n[k], s, mem)
	default:
		return e.reduceParts(b, k, size, s, mem)
	}
}

// reduceParts reduces b, which has size bytes, in parts along axis k.
func (e *engine) reduceParts(b box, k, size int, s accumulators, mem *strided.Memory) error {
	a, n := &e.axes[k], b.n[k]
	per := size / n
	parts := min(n, 1+size/partBytes(size))
	maxWaiting := waveParts
	if !a.kept {
		maxWaiting = min(maxWaiting, mergedStates/e.resultCount(b))
	}
	p := e.newPass(parts, maxWaiting, per*n)
	p.MaxWaiting = maxWaiting
	e.readAhead(&p, b, mem, parts)
	var settled atomic.Bool // further parts and the order of merging cannot change the result
	p.Settled = settled.Load
	return strided.InOrder(&p, func(i int, _ *strided.Failure) (acc accumulators, err error) {
		part := e.cut(b, k, strided.Bound(n, i, parts), strided.Bound(n, i+1, parts))
		switch {
		case settled.Load():
		case a.kept:
			e.walk(part, s, mem)
		default:
			part.state = 0
			acc = e.newAccumulators(nil, e.resultCount(b))
			e.walk(part, acc, mem)
			if e.areSettled(acc, 0, e.resultCount(b)) {
				settled.Store(true)
			}
		}
		return acc, nil
	}, func(acc accumulators) {
		if acc != nil {
			s.merge(b.state, acc)
		}
	})
}

// partBytes returns the number of bytes of a part if goroutines share size bytes.
func partBytes(size int) int { return max(minSharedBytes/4, min(strided.PartBytes, size/8)) }

// reduceSlabsInTurn calls reduceSlabs for the deviations and then for the means. reduceSlabs calls it if a slab is
// too small to contain whole tiles of both.
func (e *engine) reduceSlabsInTurn(b box, k, per int, both *stdAndMean, mem *strided.Memory) error {
	mean, report, done := e.mean, e.Progress, 0
	defer func() { e.mean, e.Progress, mean.Progress = mean, report, report }()
	if report != nil { // each turn counts half of the bytes
		e.Progress = func(n int) error { done += n; return report(done/2 - (done-n)/2) }
		mean.Progress = e.Progress
	}
	e.mean = nil
	if err := e.reduceSlabs(b, k, per, both.accumulators, mem); err != nil {
		return err
	}
	return mean.reduceSlabs(b, k, per, both.mean, mem)
}

// reduceSlabs reduces b slab by slab along axis k. The goroutines divide the results among themselves. Each index along
// axis k has per bytes.
func (e *engine) reduceSlabs(b box, k, per int, s accumulators, mem *strided.Memory) error {
	n := b.n[k]
	step := e.cutMultiple(k)
	pages := per
	if mem.File != nil { // the pages of a slab must fit in memory
		p := e.piece(b, mem)
		pages = max(per, p.OnPages()/n)
	}
	rows := max(1, min(max(step, slabBytes/pages/step*step), maxSlabBytes/per))
	if mem.Fetch != nil {
		if rows%step == 0 { // slabs divide no tile
			rows = n
		}
		return e.reduceFetched(b, k, rows, s, mem)
	}
	if both, ok := s.(*stdAndMean); ok && rows < step {
		return e.reduceSlabsInTurn(b, k, per, both, mem)
	}
	axis := -1 // the axis to divide: the longest kept axis
	for i, a := range e.axes {
		if a.kept && (axis < 0 || b.n[i] > b.n[axis]) {
			axis = i
		}
	}
	length := b.n[axis]
	parts := min(slabParts, length)
	if e.axes[axis].stateStep == 1 {
		parts = max(1, min(parts, length/minCut))
	}
	slabs := (n + rows - 1) / rows
	task := func(t int) box { // part t%parts of slab t/parts
		i, j := t/parts, t%parts
		slab := e.cut(b, k, i*rows, min((i+1)*rows, b.n[k]))
		return e.cut(slab, axis, strided.Bound(length, j, parts), strided.Bound(length, j+1, parts))
	}
	pass := e.newPass(slabs*parts, parts*max(1, waveBytes/(rows*per)), n*per)
	if p := e.piece(b, mem); strided.IsCold(p, p) && rows*pages > 2*strided.TileBytes() { // a slab does not fit in memory
		pass.PageByPart(func(t int, visit func(q strided.Piece, after strided.After)) {
			visit(e.piece(task(t), mem), strided.Release)
		}, p)
	} else {
		e.readAhead(&pass, b, mem, slabs)
	}
	gate := newSlabGate(parts)
	return pass.Run(func(t int, _ *strided.Failure) error {
		gate.wait(t/parts, t%parts)
		defer gate.done(t % parts)
		e.tiles(task(t), s)
		return nil
	})
}

// reduceFetched is reduceSlabs for elements that must be fetched. It cuts b along axis k after each multiple of rows,
// and where no tile is divided. It fetches the elements of a part at once, because the elements of each part of the
// results would take many requests.
func (e *engine) reduceFetched(b box, k, rows int, s accumulators, mem *strided.Memory) error {
	for i := 0; i < b.n[k]; i += rows {
		err := e.eachFetched(e.cut(b, k, i, min(i+rows, b.n[k])), mem, func(part box) error {
			return e.reduceSlabs(part, k, e.bytes(part)/part.n[k], s, new(strided.Memory))
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// A slabGate lets goroutines add slabs to each part of the results in the order of the slabs.
type slabGate struct {
	sync.Mutex
	changed sync.Cond // signals changes of added
	added   []int     // the number of slabs that have been added to each part
}

func newSlabGate(parts int) *slabGate {
	g := &slabGate{added: make([]int, parts)}
	g.changed.L = &g.Mutex
	return g
}

// wait returns when all slabs before slab i have been added to part j. Other goroutines are adding them.
func (g *slabGate) wait(i, j int) {
	g.Lock()
	for g.added[j] < i {
		g.changed.Wait()
	}
	g.Unlock()
}

// done records that a slab has been added to part j, or could not be added.
func (g *slabGate) done(j int) {
	g.Lock()
	g.added[j]++
	g.Unlock()
	g.changed.Broadcast()
}

// report reports that n more bytes are done.
func (e *engine) report(n int) error {
	if e.Progress == nil {
		return nil
	}
	return e.Progress(n)
}
