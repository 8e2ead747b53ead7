package reduce

import (
	"math"
	"slices"
	"sync"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

type pointer = strided.Pointer

func add(p pointer, n int) pointer { return strided.Add(p, n) }

// An engine runs a Job. A pool keeps engines, and the memory of their slices, for later Jobs.
type engine struct {
	Job
	src   []strided.Piece
	size  int // bytes of an element
	count int // number of elements per result

	axes    []axis
	kept    []axis // the axes of results: the kept axes before the first reduced axis, then the later kept axes, unmerged
	boxes   []box  // a box for each piece of src
	joined  bool   // the boxes follow each other along the first axis, which is reduced
	lengths []int  // lengths of the axes
	scratch *scratch

	work        dtype.DType // the work dtype: elements are converted to it and then reduced
	width       int         // bytes of a number of the work dtype
	decode      elem.Codec  // from elements to numbers of the work dtype
	secondCodec elem.Codec  // decode may point to it; see codecTo
	isBool      bool        // the numbers are 0 and 1
	scrub       bool        // NaN is replaced; see scrubbed
	plan        plan

	dst    strided.Piece // without a layout; P is the address of the first result in memory order
	assign elem.Codec    // from results to dst

	mean *engine // computes the means of the same boxes; nil unless the Job is WithMean
}

var engines = sync.Pool{New: func() any { return &engine{scratch: new(scratch)} }}

// free returns e to the pool, without references to the memory of its Job.
func (e *engine) free() {
	clear(e.boxes)
	e.scratch.trim()
	if e.mean != nil {
		e.mean.free()
		e.mean = nil
	}
	e.Job, e.src, e.dst = Job{}, nil, strided.Piece{}
	e.axes, e.kept, e.boxes, e.lengths = e.axes[:0], e.kept[:0], e.boxes[:0], e.lengths[:0]
	engines.Put(e)
}

// workType returns the work dtype for results of count numbers of dtype d: d itself if Go has such numbers and the
// accumulators for them are exact, otherwise a larger dtype. isOne is true if there is only one result.
func (op Op) workType(d dtype.DType, count int, isOne bool) dtype.DType {
	d = d.WithByteOrder(dtype.Native)
	kind, size := d.Kind(), d.ItemSize()
	isInt := elem.IsIntegral(d)
	switch {
	case kind == dtype.KindComplex:
		return dtype.Complex128
	case op == Prod && elem.IsFloat(d):
		return dtype.Float64
	case (op == Var || op == Std) && kind == dtype.KindBool && int64(count) <= maxSquares:
		return dtype.Uint8
	case (op == Var || op == Std) && isInt && size <= 2 && int64(count) <= maxSquares:
		return d
	case op.isRanked() && kind != dtype.KindBool:
		return d
	case op == Var, op == Std, op == Moments, (op == Mean || op == Total) && isInt && (size > 4 && !isOne ||
		size <= 4 && int64(count) > 1<<31): // other sums of integers are exact
		return dtype.Float64
	case kind == dtype.KindBool:
		return dtype.Uint8
	case elem.IsNarrow(d):
		return dtype.Float32
	}
	return d
}

// init prepares e to reduce src to dst as described by j.
func (e *engine) init(j Job, dst strided.Piece, src *Source) (err error) {
	lay := src.Pieces[0].Layout
	e.Job, e.src, e.size, e.count = j, src.Pieces, src.Pieces[0].ItemSize, len(src.Pieces)
	if e.joined = src.Along > 0; e.joined {
		lay, e.count = src.joinedLayout(), 1
	}
	for k, reduced := range j.Reduced {
		if reduced {
			e.count *= lay.Len(k)
		}
	}
	e.work = j.Op.workType(src.Type, e.count, !slices.Contains(j.Reduced, false))
	if isSum := j.Op == Sum || j.Op == Mean || j.Op == Total; isSum && src.Type.Kind() == dtype.KindComplex && !j.SkipNaN {
		e.work = src.Type // the real and imaginary parts are added as floats
	}
	e.width = e.work.ItemSize()
	if e.decode, err = j.codecTo(e.work, src, e.Op == Count, &e.secondCodec); err != nil {
		return err
	}
	kind := src.Type.Kind()
	e.isBool = kind == dtype.KindBool
	// Integers have no NaN, even if they are reduced as float64.
	isFloat := elem.IsFloat(src.Type)
	e.SkipNaN = e.SkipNaN && (isFloat || kind == dtype.KindComplex)
	e.scrub = e.SkipNaN && isFloat && j.Op != Moments && j.Op != Var && j.Op != Std && j.Op != Count
	off, pos, doff := e.setAxes(lay, j.Reduced, dst.Layout, j.Positions)
	if e.count == 0 { // pointers must not be moved: no element exists
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
		e.lengths = append(e.lengths, a.n)
	}
	for k, p := range src.Pieces {
		e.boxes = append(e.boxes, box{p: add(p.P, off), pos: pos + src.Positions[k], n: e.lengths})
		if e.joined { // the first axis may be several merged axes
			b := &e.boxes[k]
			b.n = slices.Clone(e.lengths)
			b.n[0] = b.n[0] / lay.Len(src.Along-1) * p.Layout.Len(src.Along-1)
		}
	}
	if dst.Mem != nil {
		e.dst = strided.Piece{P: add(dst.P, doff), ItemSize: dst.ItemSize, Mem: dst.Mem}
	}
	return nil
}

// reduceInBatches reduces boxes, and stores the results at dst. A box has one element along each axis before axis k. A
// batch has up to maxStates results.
func (e *engine) reduceInBatches(boxes []box, k int, dst pointer) error {
	states, n := e.resultCount(boxes[0]), boxes[0].n[k]
	a := e.axes[k]
	if !a.kept || n <= 1 || states <= maxStates {
		s, err := e.accumulate(boxes)
		if err != nil {
			return err
		}
		return e.store(e.scratch, s, boxes[0], k, dst)
	}
	next, step := k, max(1, maxStates/(states/n)) // step is the number of elements along axis k at a time
	if states/n > maxStates && k+1 < len(e.axes) && e.axes[k+1].kept {
		next = k + 1
	}
	for lo := 0; lo < n; lo += step {
		parts := make([]box, len(boxes))
		for i, b := range boxes {
			parts[i] = e.cut(b, k, lo, min(lo+step, n))
		}
		if err := e.reduceInBatches(parts, next, add(dst, lo*a.dstStride)); err != nil {
			return err
		}
	}
	return nil
}

// accumulate reduces boxes, which have the same results, and returns their accumulators.
func (e *engine) accumulate(boxes []box) (accumulators, error) {
	e.scratch.used = 0
	s := e.newAccumulators(e.scratch, e.resultCount(boxes[0]))
	for i, b := range boxes {
		b.state = 0
		if len(boxes) > 1 {
			e.prefetchShort(b, e.src[i].Mem)
		}
		if err := e.reduceBox(b, s, e.src[i].Mem); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// store stores the results of s, the accumulators of box b, at dst. b has one element along each axis before axis k.
// The memory of s belongs to m.
func (e *engine) store(m *scratch, s accumulators, b box, k int, dst pointer) error {
	results, err := s.results(e, nil)
	if err != nil {
		return err
	}
	lead, _ := e.leadingKeptAxes()
	m.n = append(m.n[:0], b.n[k:lead]...)
	for _, a := range e.kept[lead:] {
		m.n = append(m.n, a.n)
	}
	return e.copyResults(m, results, e.kept[k:], m.n, dst)
}

// copyResults copies results to dst. The results are in C order, with length n[k] along axis k of kept.
func (e *engine) copyResults(m *scratch, results []byte, kept []axis, n []int, dst pointer) error {
	m.axes = m.axes[:0]
	size := len(results)
	for k, a := range kept {
		size /= n[k]
		m.axes = append(m.axes, elem.Axis{N: n[k], DS: a.dstStride, SS: size})
	}
	nested, outer := true, math.MaxInt // nested is true if the axes are in the order of the destination
	for _, a := range m.axes {
		nested = nested && (a.N == 1 || 0 < a.DS && a.DS <= outer)
		outer = a.DS
	}
	if nested && e.dst.Mem.File == nil && len(results) <= contiguousTileBytes { // planning a copy would take as long
		e.assign.Walk(elem.Merge(m.axes), dst, strided.Start(results))
		return nil
	}
	to, from, err := m.layouts()
	if err != nil {
		return err
	}
	m.mem = strided.Memory{Base: strided.Start(results), Size: len(results)}
	src := strided.Piece{P: m.mem.Base, Layout: from, ItemSize: size, Mem: &m.mem}
	out := e.dst
	out.P, out.Layout = out.Mem.Part(dst, 0, to, out.ItemSize), to
	return strided.Copy(out, src, &e.assign)
}
