package reduce

import (
	"math"
	"sync"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// isRanked reports whether a result is a number of a certain rank, or between two. All numbers that become one result,
// a row, are needed at once, and gathered.
func (op Op) isRanked() bool { return op == Median || op == Quantile }

// A ranking is a job of which results are ranked.
type ranking struct {
	*engine
	keys          Keys
	kept, reduced []axis     // of the results, and of a row, in the order of the memory
	row           int        // bytes
	columns       bool       // the numbers of several results are sorted at once
	few, all      []exchange // for that: for the ranks that are needed, and for any
}

// A rankedBox is some of the results, so many along each axis.
type rankedBox struct {
	off int // of the first row in the source, in bytes
	dst pointer
	n   []int
}

// ranked reduces all to dst.
func (e *engine) ranked() error {
	r := &ranking{engine: e, keys: KeysOf(e.work), row: e.count * e.width}
	lead, _ := e.leading()
	r.kept = append(append(r.kept, e.axes[:lead]...), e.rest...)
	for _, a := range e.axes[lead:] {
		if !a.kept {
			r.reduced = append(r.reduced, a)
		}
	}
	all := rankedBox{dst: e.dst.P}
	for _, a := range r.kept {
		all.n = append(all.n, a.n)
	}
	r.setColumns(all.results())
	size := e.size * e.count // bytes of one row in the source
	cold := false
	for i, b := range e.boxes {
		if mem := e.src[i].Mem; mem.File != nil && !cold {
			p := e.piece(b, mem)
			cold = p.OnPages() > strided.PartBytes/4 && p.IsCold()
		}
	}
	if cold {
		n, part := r.cut(all, r.slabRows())
		for i := range n {
			b := part(i)
			if err := r.slab(b); err != nil {
				return err
			}
			if err := e.report(b.results() * size); err != nil {
				return err
			}
		}
		return nil
	}
	per := max(1, rankedBytes/max(1, r.row))
	n, part := r.cut(all, per)
	pass := e.pass(n, max(1, rankedWave/max(1, per*e.count)), all.results()*size)
	return pass.Run(func(k int, _ *strided.Failure) error { return r.tile(part(k)) })
}

// slabRows returns how many rows are gathered at a time from a file that is not in memory: as many as have all elements
// of the pages that they are on, if these have room.
func (r *ranking) slabRows() int {
	rows := max(1, strided.TileBytes()/max(1, r.row))
	if last := len(r.kept) - 1; last >= 0 && r.kept[last].srcStride > 0 {
		onPage := kernel.PageBytes / r.kept[last].srcStride
		if onPage > rows && strided.HasRoom(4*onPage*r.row) {
			return onPage
		}
	}
	return rows
}

// cut returns into how many boxes of at most so many results b is cut, and what they are.
func (r *ranking) cut(b rankedBox, most int) (n int, part func(i int) rankedBox) {
	axis, inner := len(b.n), 1 // all along the axes from this one on
	for axis > 0 && inner*b.n[axis-1] <= most {
		axis--
		inner *= b.n[axis]
	}
	if axis == 0 {
		return 1, func(int) rankedBox { return b }
	}
	axis--
	per := most / inner
	here := (b.n[axis] + per - 1) / per
	n = here
	for _, length := range b.n[:axis] {
		n *= length
	}
	return n, func(i int) rankedBox {
		c := rankedBox{b.off, b.dst, append([]int(nil), b.n...)}
		at := func(k, lo, hi int) {
			c.off, c.dst, c.n[k] = c.off+lo*r.kept[k].srcStride, add(c.dst, lo*r.kept[k].dstStride), hi-lo
		}
		at(axis, strided.Bound(b.n[axis], i%here, here), strided.Bound(b.n[axis], i%here+1, here))
		i /= here
		for k := axis - 1; k >= 0; k-- {
			at(k, i%b.n[k], i%b.n[k]+1)
			i /= b.n[k]
		}
		return c
	}
}

// results returns how many results b has.
func (b rankedBox) results() int {
	n := 1
	for _, k := range b.n {
		n *= k
	}
	return n
}

// A ranker has what one goroutine needs.
type ranker struct {
	scratch
	buf     []byte
	out     []float64
	nans    [sortedBytes]int32 // of each column
	row     [sortedBytes / 8]uint64
	samples [2 * mostSamples]uint64
}

var rankers = sync.Pool{New: func() any { return new(ranker) }}

func (w *ranker) free() {
	if len(w.buf) > 4*rankedBytes {
		w.buf = nil
	}
	w.trim()
	rankers.Put(w)
}

// room makes room for n results, and the numbers of which they are made.
func (w *ranker) room(n, bytes int) {
	if w.buf == nil || len(w.buf) < bytes {
		w.buf = strided.Alloc(max(1, bytes))
	}
	if cap(w.out) < n {
		w.out = make([]float64, n)
	}
	w.out = w.out[:n]
}

// axesOf returns the axes of what b gathers from one of several boxes: results, and numbers of each of them, or the
// other way round if these are columns. off is where in the memory for all of them that begins.
func (r *ranking) axesOf(b rankedBox, i int, axes []elem.Axis) (all []elem.Axis, off int) {
	step := r.width * b.results() * r.count
	results := func() {
		for k, a := range r.kept {
			step /= b.n[k]
			axes = append(axes, elem.Axis{N: b.n[k], DS: step, SS: a.srcStride})
		}
	}
	if !r.columns {
		results()
	}
	if !r.joined {
		step /= len(r.boxes)
		off = i * step
	}
	for k, a := range r.reduced {
		step /= a.n
		n := a.n
		if k == 0 && r.joined { // the axis along which boxes follow one another
			n = r.boxes[i].n[0]
			for _, before := range r.boxes[:i] {
				off += before.n[0] * step
			}
		}
		axes = append(axes, elem.Axis{N: n, DS: step, SS: a.srcStride})
	}
	if r.columns {
		results()
	}
	return axes, off
}

// tile gathers what b needs and has its results, in this goroutine.
func (r *ranking) tile(b rankedBox) error {
	w := rankers.Get().(*ranker)
	defer w.free()
	n := b.results()
	w.room(n, n*r.row)
	buf := strided.Start(w.buf)
	for i, from := range r.boxes {
		if r.count > 0 {
			axes, off := r.axesOf(b, i, w.axes[:0])
			w.axes = axes
			r.load.Walk(elem.Merge(axes), add(buf, off), add(from.p, b.off))
		}
	}
	r.rank(w.out, buf, 0, n, w)
	return r.put(b, w)
}

// slab gathers what b needs from files, and has its results.
func (r *ranking) slab(b rankedBox) error {
	n := b.results()
	buf := strided.Alloc(n * r.row)
	mem := &strided.Memory{Base: strided.Start(buf), Size: len(buf)}
	for i, from := range r.boxes {
		axes, off := r.axesOf(b, i, nil)
		var shape, to, strides []int
		for _, a := range axes {
			shape, to, strides = append(shape, a.N), append(to, a.DS), append(strides, a.SS)
		}
		dst, err := index.Strided(shape, to)
		if err != nil {
			return err
		}
		src, err := index.Strided(shape, strides)
		if err != nil {
			return err
		}
		into := strided.Piece{P: add(mem.Base, off), Layout: dst, ItemSize: r.width, Mem: mem}
		file := strided.Piece{P: add(from.p, b.off), Layout: src, ItemSize: r.size, Mem: r.src[i].Mem}
		if r.Progress == nil {
			err = strided.Copy(into, file, &r.load)
		} else {
			pacer := strided.Pacer{Size: strided.PartBytes, Report: func(int) error { return r.report(0) }}
			err = strided.CopyPaced(into, file, &r.load, &pacer)
		}
		if err != nil {
			return err
		}
	}
	w := rankers.Get().(*ranker)
	defer w.free()
	w.room(n, 0)
	parts := min(n, 1+len(buf)/rankedBytes)
	p := strided.Pass{Parts: parts}
	if r.Progress != nil {
		p.Report = func(int) error { return r.Progress(0) }
	}
	err := p.Run(func(i int, _ *strided.Failure) error {
		own := rankers.Get().(*ranker)
		defer own.free()
		lo, hi := strided.Bound(n, i, parts), strided.Bound(n, i+1, parts)
		r.rank(w.out[lo:hi], mem.Base, lo, n, own)
		return nil
	})
	if err != nil {
		return err
	}
	return r.put(b, w)
}

// put stores the results of b.
func (r *ranking) put(b rankedBox, w *ranker) error {
	w.axes = w.axes[:0]
	left := len(w.out)
	for k, a := range r.kept {
		left /= b.n[k]
		w.axes = append(w.axes, elem.Axis{N: b.n[k], DS: a.dstStride, SS: 8 * left})
	}
	return r.engine.put(&w.scratch, strided.Bytes(w.out), 8, b.dst)
}

// rank sets out to results from the first one on, of n that were gathered to p, and moves what is there.
func (r *ranking) rank(out []float64, p pointer, first, n int, w *ranker) {
	samples := pointer(&w.samples)
	switch {
	case r.columns:
		r.sortColumns(out, p, first, n, w)
	case r.width == 1:
		rankRows(r, out, p, first, strided.Slice[uint8](samples, len(w.samples)))
	case r.width == 2:
		rankRows(r, out, p, first, strided.Slice[uint16](samples, len(w.samples)))
	case r.width == 4:
		rankRows(r, out, p, first, strided.Slice[uint32](samples, len(w.samples)))
	default:
		rankRows(r, out, p, first, w.samples[:])
	}
}

func rankRows[W Word](r *ranking, out []float64, p pointer, first int, samples []W) {
	lo, _, _ := r.Ranks(max(1, r.count))
	for i := range out {
		words := strided.Slice[W](add(p, (first+i)*r.row), r.count)
		n := keysIn(words, &r.keys)
		switch {
		case n == 0 || n < r.count && !r.SkipNaN:
			out[i] = math.NaN()
			continue
		case r.SkipNaN:
			lo, _, _ = r.Ranks(n)
		}
		x, y := twoOf(words[:n], lo, samples)
		out[i] = r.result(n, uint64(x), uint64(y))
	}
}

// result returns the result of n numbers, of which these are the keys of the one with the lower of two ranks and of the
// next one.
func (r *ranking) result(n int, x, y uint64) float64 {
	lo, hi, t := r.Ranks(n)
	if lo == hi {
		y = x
	}
	return r.keys.Of(r.Op, x, y, t)
}
