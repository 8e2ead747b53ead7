package reduce

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

type pointer = strided.Pointer

func add(p pointer, n int) pointer { return strided.Add(p, n) }

// An engine is a Job that is under way.
type engine struct {
	Job
	src   []strided.Piece
	size  int // bytes of an element
	count int // elements that become one result

	axes    []axis
	rest    []axis // the kept axes behind the first that is reduced, before merging
	boxes   []box  // all of src
	new     func(m *scratch, n int) states
	scratch *scratch // of chunk

	lane  dtype.DType // of the numbers that are reduced
	width int         // bytes of one
	load  elem.Codec  // from the elements to them
	scrub bool        // NaN is replaced before the states see it
	plan  plan

	dst    strided.Piece // its first element is that of the first state
	assign elem.Codec    // from results to dst
}

// laneOf returns the type of the numbers that are reduced, for those of dtype d. They are
// these, as far as Go has them.
func (op Op) laneOf(d dtype.DType, count int) dtype.DType {
	d = d.WithOrder(dtype.Native)
	kind, size := d.Kind(), d.ItemSize()
	isInt := kind == dtype.KindBool || kind == dtype.KindInt || kind == dtype.KindUint
	switch {
	case kind == dtype.KindComplex:
		return dtype.Complex128
	case (op == Var || op == Std) && kind == dtype.KindBool && int64(count) <= mostSquares:
		return dtype.Uint8
	case (op == Var || op == Std) && isInt && size <= 2 && int64(count) <= mostSquares:
		return d
	case op == Var, op == Std, op == Moments, op == Mean && isInt && (size > 4 || int64(count) > 1<<31): // else their sum is exact
		return dtype.Float64
	case kind == dtype.KindBool:
		return dtype.Uint8
	case kind == dtype.KindFloat && size == 2:
		return dtype.Float32
	}
	return d
}

func (j Job) engine(dst strided.Piece, dstType dtype.DType, src Source) (*engine, error) {
	lay := src.Pieces[0].Layout
	e := &engine{Job: j, src: src.Pieces, size: src.Pieces[0].ItemSize, count: len(src.Pieces)}
	for k, reduced := range j.Reduced {
		if reduced {
			e.count *= lay.Len(k)
		}
	}
	e.lane = j.Op.laneOf(src.Type, e.count)
	e.width = e.lane.ItemSize()
	err := e.setCodec(src)
	if err != nil {
		return nil, err
	}
	kind := src.Type.Kind() // integers have no NaN, also where their numbers are float64
	e.SkipNaN = e.SkipNaN && (kind == dtype.KindFloat || kind == dtype.KindComplex)
	e.scrub = e.SkipNaN && kind == dtype.KindFloat && j.Op < Moments && j.Op != Var && j.Op != Std && j.Op != Count
	e.new = e.newStates()
	off, pos, doff, rest := e.setAxes(lay, j.Reduced, dst.Layout, j.Positions)
	e.rest = rest
	if e.count == 0 { // no pointer is made to elements that are not there
		off = 0
		for k := range e.axes {
			e.axes[k].ss = 0
		}
	}
	e.setPlan()
	whole := make([]int, len(e.axes))
	for k, a := range e.axes {
		whole[k] = a.n
	}
	for k, p := range src.Pieces {
		e.boxes = append(e.boxes, box{p: add(p.P, off), pos: pos + src.Positions[k], n: whole})
	}
	e.dst = strided.Piece{P: add(dst.P, doff), ItemSize: dst.ItemSize, Mem: dst.Mem}
	e.assign, err = elem.New(dstType, e.resultType())
	return e, err
}

// setCodec sets what makes numbers of the elements.
func (e *engine) setCodec(src Source) (err error) {
	if src.Load == nil {
		e.load, err = elem.New(e.lane, src.DType)
		return err
	}
	second, err := elem.New(e.lane, src.Type)
	if err == nil {
		e.load = elem.Chain(src.Load, &second)
	}
	return err
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
			err = e.chunks(parts, k+1, add(dst, lo*a.ds))
		} else {
			err = e.chunk(parts, k, add(dst, lo*a.ds))
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
	e.scratch.used = 0
	s := e.new(e.scratch, e.states(boxes[0]))
	for i, b := range boxes {
		b.at = 0
		if err := e.share(b, s, e.src[i].Mem); err != nil {
			return err
		}
	}
	return e.store(s, boxes[0], k, dst)
}

// store stores the results of b, of which the axes before axis k have one element.
func (e *engine) store(s states, b box, k int, dst pointer) error {
	mem, err := s.results(e)
	if err != nil {
		return err
	}
	var shape, from, to []int
	n := e.states(b)
	size := len(mem) / n
	left := n
	for i, a := range e.axes[k:] {
		if !a.kept {
			break
		}
		left /= b.n[k+i]
		shape, from, to = append(shape, b.n[k+i]), append(from, left*size), append(to, a.ds)
	}
	for _, a := range e.rest {
		left /= a.n
		shape, from, to = append(shape, a.n), append(from, left*size), append(to, a.ds)
	}
	src := strided.Piece{P: strided.Start(mem), ItemSize: size, Mem: &strided.Memory{Base: strided.Start(mem), Size: len(mem)}}
	if src.Layout, err = index.Strided(shape, from); err != nil {
		return err
	}
	out := e.dst
	if out.Layout, err = index.Strided(shape, to); err != nil {
		return err
	}
	out.P = out.Mem.Part(dst, 0, out.Layout, out.ItemSize)
	return strided.Copy(out, src, &e.assign)
}
