package reduce

import (
	"math"
	"slices"
	"sync"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

type pointer = strided.Pointer

func add(p pointer, n int) pointer { return strided.Add(p, n) }

// An engine is a Job that is under way. It is used again for others, with the memory of its slices.
type engine struct {
	Job
	src   []strided.Piece
	size  int // bytes of an element
	count int // elements that become one result

	axes    []axis
	rest    []axis // the kept axes behind the first that is reduced, before merging
	sorted  []axis // of setAxes
	boxes   []box  // all of src
	joined  bool   // they follow one another along the first axis, which is reduced
	whole   []int  // lengths of the axes
	scratch *scratch

	work   dtype.DType // the work dtype: of the numbers that are reduced
	width  int         // bytes of one
	load   elem.Codec  // from the elements to them
	chain  [2]elem.Codec
	isBool bool // the elements are 0 and 1
	scrub  bool // NaN is replaced before the states see it
	plan   plan

	dst    strided.Piece // its first element is that of the first state
	assign elem.Codec    // from results to dst

	mean *engine // of the means, if the Job is WithMean: of the same boxes
}

var engines = sync.Pool{New: func() any { return &engine{scratch: new(scratch)} }}

// free returns e to the pool, with nothing that it knows of the memory of a job.
func (e *engine) free() {
	clear(e.boxes)
	e.scratch.trim()
	if e.mean != nil {
		e.mean.free()
		e.mean = nil
	}
	e.Job, e.src, e.dst = Job{}, nil, strided.Piece{}
	e.axes, e.rest, e.sorted, e.boxes, e.whole = e.axes[:0], e.rest[:0], e.sorted[:0], e.boxes[:0], e.whole[:0]
	engines.Put(e)
}

// workOf returns the dtype of the numbers that are reduced, so many to one of dtype d: that itself where Go has it and
// its states are exact, else one that has room for it. isOne says that there is one result.
func (op Op) workOf(d dtype.DType, count int, isOne bool) dtype.DType {
	d = d.WithOrder(dtype.Native)
	kind, size := d.Kind(), d.ItemSize()
	isInt := elem.IsIntegral(d)
	switch {
	case kind == dtype.KindComplex:
		return dtype.Complex128
	case op == Prod && elem.IsFloat(d):
		return dtype.Float64
	case (op == Var || op == Std) && kind == dtype.KindBool && int64(count) <= mostSquares:
		return dtype.Uint8
	case (op == Var || op == Std) && isInt && size <= 2 && int64(count) <= mostSquares:
		return d
	case op.isRanked() && kind != dtype.KindBool:
		return d
	case op == Var, op == Std, op == Moments, (op == Mean || op == Total) && isInt && (size > 4 && !isOne ||
		size <= 4 && int64(count) > 1<<31): // else their sum is exact
		return dtype.Float64
	case kind == dtype.KindBool:
		return dtype.Uint8
	case elem.IsNarrow(d):
		return dtype.Float32
	}
	return d
}

// init prepares e for a job.
func (e *engine) init(j Job, dst strided.Piece, src Source) error {
	lay := src.Pieces[0].Layout
	e.Job, e.src, e.size, e.count = j, src.Pieces, src.Pieces[0].ItemSize, len(src.Pieces)
	if e.joined = src.Along > 0; e.joined {
		lay, e.count = src.whole(), 1
	}
	for k, reduced := range j.Reduced {
		if reduced {
			e.count *= lay.Len(k)
		}
	}
	e.work = j.Op.workOf(src.Type, e.count, !slices.Contains(j.Reduced, false))
	e.width = e.work.ItemSize()
	if err := e.setCodec(src); err != nil {
		return err
	}
	kind := src.Type.Kind()
	e.isBool = kind == dtype.KindBool
	// Integers have no NaN, also where their numbers are float64.
	isFloat := elem.IsFloat(src.Type)
	e.SkipNaN = e.SkipNaN && (isFloat || kind == dtype.KindComplex)
	e.scrub = e.SkipNaN && isFloat && j.Op != Moments && j.Op != Var && j.Op != Std && j.Op != Count
	off, pos, doff := e.setAxes(lay, j.Reduced, dst.Layout, j.Positions)
	if e.count == 0 { // no pointer is made to elements that are not there
		off = 0
		for k := range e.axes {
			e.axes[k].srcStride = 0
		}
	}
	e.setPlan()
	if j.WithMean {
		j.Op, j.WithMean = Mean, false
		e.mean = engines.Get().(*engine)
		if err := e.mean.init(j, dst, src); err != nil {
			return err
		}
	}
	for _, a := range e.axes {
		e.whole = append(e.whole, a.n)
	}
	for k, p := range src.Pieces {
		e.boxes = append(e.boxes, box{p: add(p.P, off), pos: pos + src.Positions[k], n: e.whole})
		if e.joined { // the axis is the slowest one, and may have been merged with those within
			b := &e.boxes[k]
			b.n = slices.Clone(e.whole)
			b.n[0] = b.n[0] / lay.Len(src.Along-1) * p.Layout.Len(src.Along-1)
		}
	}
	if dst.Mem != nil {
		e.dst = strided.Piece{P: add(dst.P, doff), ItemSize: dst.ItemSize, Mem: dst.Mem}
	}
	return nil
}

// setCodec sets what makes numbers of the elements.
func (e *engine) setCodec(src Source) (err error) {
	if src.Load == nil {
		d := src.DType
		if kind := d.Kind(); e.Op == Count && (kind == dtype.KindInt || kind == dtype.KindUint) {
			d = d.WithOrder(dtype.Native) // zero is zero in either
		}
		e.load, err = elem.New(e.work, d)
		return err
	}
	e.chain[0] = *src.Load
	if e.chain[1], err = elem.New(e.work, src.Type); err != nil {
		return err
	}
	if e.load = e.chain[0]; !e.chain[1].IsPlain() {
		e.load = elem.Chain(&e.chain[0], &e.chain[1])
	}
	return nil
}

// chunks reduces boxes along axis k and those within, as many results at a time as the memory
// for their states allows. The first result goes to dst.
func (e *engine) chunks(boxes []box, k int, dst pointer) error {
	states := e.states(boxes[0])
	a := e.axes[k]
	if !a.kept || a.n <= 1 || states <= mostStates {
		return e.chunk(boxes, k, dst)
	}
	step := 1 // along the axis, at a time
	within := states / a.n
	deeper := within > mostStates && k+1 < len(e.axes) && e.axes[k+1].kept
	if !deeper {
		step = max(1, mostStates/within)
	}
	for lo := 0; lo < a.n; lo += step {
		parts := make([]box, len(boxes))
		for i, b := range boxes {
			parts[i] = e.cut(b, k, lo, min(lo+step, a.n))
		}
		var err error
		if deeper {
			err = e.chunks(parts, k+1, add(dst, lo*a.dstStride))
		} else {
			err = e.chunk(parts, k, add(dst, lo*a.dstStride))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// chunk reduces boxes, of which the axes before axis k have one element, and stores the
// results.
func (e *engine) chunk(boxes []box, k int, dst pointer) error {
	s, err := e.reduced(boxes)
	if err != nil {
		return err
	}
	return e.store(e.scratch, s, boxes[0], k, dst)
}

// reduced returns the states of boxes.
func (e *engine) reduced(boxes []box) (states, error) {
	e.scratch.used = 0
	s := e.new(e.scratch, e.states(boxes[0]))
	for i, b := range boxes {
		b.at = 0
		if len(boxes) > 1 {
			e.prefetchShort(b, e.src[i].Mem)
		}
		if err := e.share(b, s, e.src[i].Mem); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// store stores the results of b, of which the axes before axis k have one element. s is in m.
func (e *engine) store(m *scratch, s states, b box, k int, dst pointer) error {
	results, err := s.results(e)
	if err != nil {
		return err
	}
	m.axes = m.axes[:0]
	n := e.states(b)
	size := len(results) / n
	left := n
	for i, a := range e.axes[k:] {
		if !a.kept {
			break
		}
		left /= b.n[k+i]
		m.axes = append(m.axes, elem.Axis{N: b.n[k+i], DS: a.dstStride, SS: left * size})
	}
	for _, a := range e.rest {
		left /= a.n
		m.axes = append(m.axes, elem.Axis{N: a.n, DS: a.dstStride, SS: left * size})
	}
	return e.put(m, results, size, dst)
}

// put stores results of so many bytes each, which are in C order along m.axes, in those of dst.
func (e *engine) put(m *scratch, results []byte, size int, dst pointer) error {
	nested, outer := true, math.MaxInt // whether the axes are in the order of the destination
	for _, a := range m.axes {
		nested = nested && (a.N == 1 || 0 < a.DS && a.DS <= outer)
		outer = a.DS
	}
	if nested && e.dst.Mem.File == nil &&
		len(results) <= contiguousTileBytes { // for these the plan of a copy costs as much as they do
		e.assign.Walk(elem.Merge(m.axes), dst, strided.Start(results))
		return nil
	}
	m.shape, m.from, m.to = m.shape[:0], m.from[:0], m.to[:0]
	for _, a := range m.axes {
		m.shape, m.from, m.to = append(m.shape, a.N), append(m.from, a.SS), append(m.to, a.DS)
	}
	m.mem = strided.Memory{Base: strided.Start(results), Size: len(results)}
	src := strided.Piece{P: m.mem.Base, ItemSize: size, Mem: &m.mem}
	var err error
	if src.Layout, err = index.Strided(m.shape, m.from); err != nil {
		return err
	}
	out := e.dst
	if out.Layout, err = index.Strided(m.shape, m.to); err != nil {
		return err
	}
	out.P = out.Mem.Part(dst, 0, out.Layout, out.ItemSize)
	return strided.Copy(out, src, &e.assign)
}
