package nd

import (
	"sync"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// minParts is the minimum number of parts in a pass if each part has minPartBytes or more. A caller's function may be
	// slow, so goroutines divide even a small array among themselves.
	minParts     = 16
	minPartBytes = 256 << 10

	// MaxReportBytes is the approximate maximum number of bytes copied, or synced to disk, between two reports of
	// progress. Package array adapts the number to the speed of the copy.
	MaxReportBytes = 32 << 20
)

// ScanReportBytes is the number of bytes that passes and array.CopyContext process between two reports of progress.
// Tests lower it.
var ScanReportBytes = MaxReportBytes

// A Pass visits each element of one or more views of the same shape, the operands, once. Goroutines share the parts of
// the pass. The parts depend only on the operands.
//
// The axes of the operands are in the memory order of the first operand. If all operands have this order, the parts
// follow each other in memory. If not, the pass halves the operands repeatedly, so that each part touches only a few
// pages of each operand.
type Pass struct {
	strided.Pass
	Stores    bool // the first operand is stored after each block
	Whole     Part // the operands
	Crosses   bool // the operands lie in memory in different orders, so the parts are made by halving
	requested int  // number of parts; Parts may differ from it
	halvings  int  // if Crosses: how often to halve the operands to get a part
}

// NewPass prepares a pass through all elements of whole. If there are no elements, the pass has no parts.
func NewPass(whole Part) *Pass {
	if first := whole.Views[0].Layout; !IsSorted(first) {
		whole = whole.derive(memoryOrderOf(first))
	}
	bytes := 0
	for k := range whole.Views {
		bytes = max(bytes, whole.Views[k].passBytes())
	}
	p := &Pass{Whole: whole, requested: PassParts(bytes)}
	if whole.size() == 0 {
		return p
	}
	if p.Crosses = whole.hasCrossedOrders(p.requested); p.Crosses {
		for p.Parts = 1; p.Parts < p.requested; p.Parts *= 2 {
			p.halvings++
		}
		p.pageByPart()
		return p
	}
	if len(whole.Views) == 1 {
		p.Whole = whole.derive(func(lay index.Layout) (index.Layout, int, error) { return lay.Coalesce(), 0, nil })
	}
	p.Parts = countParts(p.Whole.Views[0].Layout, p.requested)
	for k := range p.Whole.Views {
		if v := &p.Whole.Views[k]; k == 0 || IsSorted(v.Layout) {
			if a, ok := v.Plain(); ok {
				p.ReadAhead(a.Piece, p.Parts)
			}
		}
	}
	return p
}

// pageByPart makes p prefetch and release the pages of each part if an operand is not in memory.
func (p *Pass) pageByPart() {
	var plain []strided.Piece
	cold := false
	for k := range p.Whole.Views {
		a, ok := p.Whole.Views[k].Plain()
		if !ok {
			return
		}
		plain = append(plain, a.Piece)
		cold = cold || k > 0 && strided.IsCold(plain[0], a.Piece)
	}
	if !cold {
		return
	}
	p.PageByPart(func(k int, visit func(q strided.Piece, after strided.After)) {
		part, _ := p.Whole.cutByHalves(k, p.halvings)
		for i, q := range part.pieces() {
			if i == 0 && p.Stores {
				visit(q, strided.WriteBack)
			} else {
				visit(q, strided.Release)
			}
		}
	}, plain...)
}

// Paged prefetches the pages of v and calls f. It is meant for few elements that may be far apart, such as the elements
// of a printout: without it, page faults would read many bytes between them.
func (v View) Paged(f func() error) error {
	p := strided.Pass{Parts: 1, InTurn: true}
	p.PageByPart(func(_ int, visit func(q strided.Piece, after strided.After)) {
		Must(0, eachPlainArray(v, func(a Array) error { visit(a.Piece, strided.Keep); return nil }))
	})
	return p.Run(func(int, *strided.Failure) error { return f() })
}

// requestPages makes the system begin to read the pages of v.
func (v View) requestPages() { Must(0, v.Paged(func() error { return nil })) }

// PassParts returns the approximate number of parts into which a pass cuts an array of n bytes.
func PassParts(n int) int {
	return 1 + n/min(max(n/minParts, minPartBytes), strided.PartBytes)
}

// passBytes returns the number of bytes of v. If v is not joined and its elements are far apart, it returns the total
// size of their pages instead.
func (v *View) passBytes() int {
	if a, ok := v.Plain(); ok {
		return a.OnPages()
	}
	return v.NBytes()
}

// A Block contains consecutive values of each operand.
type Block struct {
	P     []pointer // the address of the first value of each operand
	N     int       // the number of values
	Part  Part      // the part of the operands that the block belongs to
	start int       // position of the first value in Part
}

// Position returns the position of value i in the whole operands, in C order. The pass must have Positions.
func (b *Block) Position(i int) int { return b.Part.Positions.position(b.start + i) }

// A Walk visits the elements of one part of a pass.
type Walk struct {
	pass   *Pass
	k      int
	failed *strided.Failure
}

// Run calls do for each part, from several goroutines. do calls Blocks. Run returns the error of the first part that
// failed.
func (p *Pass) Run(do func(w Walk) error) error {
	return p.Pass.Run(func(k int, failed *strided.Failure) error { return do(Walk{p, k, failed}) })
}

// RunBlocks calls f with all blocks, from several goroutines. It returns the first error of f in the order of the
// parts.
func (p *Pass) RunBlocks(f func(b *Block) error) error {
	return p.Run(func(w Walk) error { return w.Blocks(f) })
}

// Blocks calls f with the blocks of the part in turn, until f returns an error or an earlier part fails. It returns the
// error of f. A block is valid until f returns.
func (w Walk) Blocks(f func(b *Block) error) error {
	part, ok := Part{}, true
	if w.pass.Crosses {
		part, ok = w.pass.Whole.cutByHalves(w.k, w.pass.halvings)
	} else {
		part = w.pass.Whole.cut(w.k, w.pass.requested)
	}
	if !ok {
		return nil
	}
	walker := walkers.Get().(*walker)
	defer walkers.Put(walker)
	if w.pass.Crosses {
		return walker.walkHalves(w, part, f)
	}
	return walker.walk(w, part, f)
}

// A walker holds the memory that Blocks uses. A pool keeps it for later calls.
type walker struct {
	cursors []Cursor
	left    []int // for each operand, the number of values left in its block
	block   Block
}

var walkers = sync.Pool{New: func() any { return new(walker) }}

// walkHalves cuts part in half repeatedly, until each operand has at most BlockBytes bytes, so that all operands stay
// in the cache. It walks through each half.
func (m *walker) walkHalves(w Walk, part Part, f func(b *Block) error) error {
	if part.size() < 2 || part.bytes() <= strided.BlockBytes {
		return m.walk(w, part, f)
	}
	axis := part.axisToHalve()
	err := m.walkHalves(w, part.half(axis, 0), f)
	if err == nil && !w.failed.Before(w.k) {
		err = m.walkHalves(w, part.half(axis, 1), f)
	}
	return err
}

// walk calls f with the blocks of part. If the blocks of the operands differ in length, the longer blocks are split
// into several calls.
func (m *walker) walk(w Walk, part Part, f func(b *Block) error) error {
	n := len(part.Views)
	if len(m.cursors) < n {
		m.cursors, m.left, m.block.P = make([]Cursor, n), make([]int, n), make([]pointer, n)
	}
	cursors, left, b := m.cursors[:n], m.left[:n], &m.block
	defer m.clear()
	*b = Block{P: b.P[:n], Part: part}
	for k := range cursors {
		left[k] = 0
		cursors[k].blocks = true
		cursors[k].Walk(&part.Views[k], index.C)
	}
	for !w.failed.Before(w.k) {
		b.P[0], left[0] = cursors[0].ReadBlock()
		blockLen := left[0]
		if blockLen == 0 {
			break
		}
		for left[0] > 0 {
			b.N = left[0]
			for k := 1; k < n; k++ {
				if left[k] == 0 {
					b.P[k], left[k] = cursors[k].ReadBlock()
				}
				b.N = min(b.N, left[k])
			}
			if err := f(b); err != nil {
				return err
			}
			b.start += b.N
			for k := range left {
				if left[k] -= b.N; left[k] > 0 {
					b.P[k] = strided.Add(b.P[k], b.N*part.Views[k].Store.Size)
				}
			}
		}
		if w.pass.Stores {
			cursors[0].StoreBlock(blockLen)
		}
	}
	return nil
}

// clear removes all references to arrays from m.
func (m *walker) clear() {
	clear(m.cursors)
	clear(m.block.P)
	m.block.P = m.block.P[:cap(m.block.P)]
	m.block.Part = Part{}
}

// InOrder calls f with the blocks of p, and merges the results of f in pairs, in the order of the blocks. It returns
// the merged result, or the zero R if there are no blocks. If calls fail, it returns the error of the first block that
// failed.
func InOrder[R any](p *Pass, f func(b *Block) (R, error), merge func(a, b R) R) (R, error) {
	all := strided.MergeTree[R]{Merge: merge}
	err := strided.InOrder(&p.Pass, func(k int, failed *strided.Failure) (R, error) {
		part := strided.MergeTree[R]{Merge: merge}
		err := Walk{p, k, failed}.Blocks(func(b *Block) error {
			r, err := f(b)
			if err == nil {
				part.Add(r)
			}
			return err
		})
		if err != nil {
			var zero R
			return zero, err
		}
		return part.Total(), nil
	}, all.Add)
	if err != nil {
		var zero R
		return zero, err
	}
	return all.Total(), nil
}

// ForBlocks calls f with the blocks of v in any order, and returns the accumulators, at most one for each goroutine. f
// adds a block to an accumulator and returns the accumulator to use for later blocks. newAcc makes accumulators. The
// combined result of all accumulators must not depend on the order of the blocks.
//
// If report is not nil, ForBlocks calls it with the number of bytes done since the last call. If report returns an
// error, ForBlocks stops and returns it.
func ForBlocks[A any](v View, newAcc func() A, f func(acc A, block pointer, n int) A,
	report func(bytes int) error) (all []A, err error) {
	p := NewPass(Part{Views: []View{v}})
	p.ReportBytes(v.NBytes(), report)
	p.MaxUnreported = ScanReportBytes / max(1, v.NBytes()/max(1, p.Parts))
	var mu sync.Mutex // guards all, which holds the accumulators not in use
	err = p.Run(func(w Walk) error {
		mu.Lock()
		var acc A
		if last := len(all) - 1; last >= 0 {
			acc, all = all[last], all[:last]
			mu.Unlock()
		} else {
			mu.Unlock()
			acc = newAcc()
		}
		err := w.Blocks(func(b *Block) error {
			acc = f(acc, b.P[0], b.N)
			return nil
		})
		mu.Lock()
		defer mu.Unlock()
		all = append(all, acc)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}
