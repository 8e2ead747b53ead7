package array

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/reduce"
	"github.com/ndmap/ndmap/internal/report"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Reduction makes one number of all elements along some axes, as the functions of NumPy do that have the names of the
// operations: with their shapes, dtypes and rules for NaN. Floats are added up and multiplied in float64, and on
// average are no less exact than in NumPy; a single result may be an ulp or two farther off. A product overflows only
// if it is too large in the end. Integers wrap around in 64 bits. Elements are read once, in the order of the memory,
// with up to 112 bytes for each result, and 16 MiB.
//
// OpMedian and OpQuantile gather the elements of each result: up to 16 MiB of these for each goroutine, and of a file
// that is not in memory up to 64 MiB, or so many that no page is read twice, if that is less than a quarter of the
// memory. If a result has more elements than 16 MiB, they are counted as [Quantile] does, in up to 5 passes, one
// result after the other.
type Reduction struct {
	Op Op

	// Axes are those along which elements become one; negative ones count from the end. Nil stands for all axes, and
	// []int{} makes a result of each element. OpArgMin and OpArgMax take one axis, or nil: a position in C order.
	Axes []int

	// SkipNaN leaves NaN out, as NumPy's nansum, nanmean, … do. Of nothing but NaN the least, the greatest, the mean and
	// the median are NaN, and a position is an error. OpMoments always leaves NaN out, and OpCount, OpAny and OpAll never.
	SkipNaN bool

	// DDof is subtracted from the number of elements by which the variance divides; 0 is NumPy's default. If no more
	// than DDof elements are left the result is NaN or infinite, as in NumPy.
	DDof int

	// Q is which quantile OpQuantile has, from 0 to 1.
	Q float64

	// Progress, if it is not nil, is called by Into and its like, in their goroutine, as that of [Config] is, with bytes
	// of elements. If it returns an error, they stop, and return one that wraps it.
	Progress func(done, total int64) error
}

// Shape returns the shape of the result: that of src without the axes. An axis that src does not have, or is given
// twice, is an error that wraps [ErrShape].
func (r Reduction) Shape(src Array) ([]int, error) {
	reduced, err := r.reduced(nil, src.view)
	return shapeWithout(src.view.Layout, reduced), err
}

// DType returns the dtype that NumPy gives the result, in the byte order of the machine. The error, which wraps
// [ErrDType], says why there is none: only numbers are reduced, booleans among them, and complex ones have no Moments
// and no median. [Array.Reinterpret] makes times int64.
func (r Reduction) DType(src Array) (dtype.DType, error) { return r.dtype(src.DType(), src.view) }

func (r Reduction) dtype(have dtype.DType, src nd.View) (dtype.DType, error) {
	if int(r.Op) >= len(opNames) {
		return dtype.DType{}, fmt.Errorf("array: there is no operation %v", r.Op)
	}
	msg := ""
	switch kind := have.Kind(); {
	case kind == dtype.KindDatetime || kind == dtype.KindTimedelta:
		msg = "times are not reduced; Reinterpret them as int64"
	case have.IsLongDouble():
		msg = "long doubles are not reduced; save them from NumPy as float64"
	case !have.IsNumber():
		msg = fmt.Sprintf("%v takes only numbers", r.Op)
	case kind == dtype.KindComplex && (r.Op == OpMedian || r.Op == OpQuantile):
		msg = fmt.Sprintf("complex numbers have no %v; Reinterpret has their real and imaginary parts as a longer last axis",
			r.Op)
	case kind == dtype.KindComplex && r.Op == OpMoments:
		msg = "complex numbers have no least, and so no moments; Reinterpret has their real and imaginary parts as a longer last axis"
	}
	if msg != "" {
		return dtype.DType{}, nd.OfKind(fmt.Errorf("%s%s: have dtype %v", nd.Prefix(src.Store.Mem.Path), msg, have), ErrDType)
	}
	if r.Op == OpMoments {
		return momentsType, nil
	}
	return reduce.Op(r.Op).Type(have), nil
}

// reduced returns for each axis of src whether it is reduced, in the memory of buf.
func (r Reduction) reduced(buf []bool, src nd.View) ([]bool, error) {
	src.MustBeSet()
	n := src.Layout.NDim()
	if isArg := r.Op == OpArgMin || r.Op == OpArgMax; isArg && r.Axes != nil && len(r.Axes) != 1 {
		return nil, fmt.Errorf("%s%w: %v along %d axes; it takes one, or nil for all", nd.Prefix(src.Store.Mem.Path),
			ErrShape,
			r.Op, len(r.Axes))
	}
	reduced := buf
	for range n {
		reduced = append(reduced, r.Axes == nil)
	}
	for _, axis := range r.Axes {
		k := axis
		if k < 0 {
			k += n
		}
		switch {
		case k < 0 || k >= n:
			return nil, fmt.Errorf("%s%w: axis %d is out of range for %d dimensions", nd.Prefix(src.Store.Mem.Path), ErrShape,
				axis, n)
		case reduced[k]:
			return nil, fmt.Errorf("%s%w: axis %d is there twice", nd.Prefix(src.Store.Mem.Path), ErrShape, axis)
		}
		reduced[k] = true
	}
	return reduced, nil
}

func shapeWithout(lay index.Layout, reduced []bool) []int {
	if reduced == nil {
		return nil
	}
	shape := []int{}
	for k, without := range reduced {
		if !without {
			shape = append(shape, lay.Len(k))
		}
	}
	return shape
}

// Into reduces src to dst, which has the shape that [Reduction.Shape] returns, and may have any dtype to which that of
// [Reduction.DType] converts as [Copy] does, but for complex numbers to real ones. The result is not rounded to DType
// before: a dst of f8 has the sum of f4 as the float64 that it is. dst must not share memory with src.
//
// The error wraps [ErrShape], also where no elements have no least, greatest or position, or [ErrReadOnly], is that of
// DType, or is a *[DTypeError] about dst; dst is then as it was. Where all of some are NaN and left out they have no
// position: after that error, or one from Progress, dst may be partly written.
func (r Reduction) Into(dst, src Array) error {
	src.view.MustBeSet()
	return r.into(dst.view, src.view, false)
}

// into is Into, or, if both is true, that of the means and of the deviations to a dst of structures.
func (r Reduction) into(dst, src nd.View, both bool) error {
	src.MustBeSet()
	dst.MustBeSet()
	p := reducers.Get().(*reducer)
	defer p.free()
	p.have = src.Store.DType
	p.job = reduce.Job{Op: reduce.Op(r.Op), SkipNaN: r.SkipNaN, DDof: r.DDof, Q: r.Q, WithMean: both}
	path := nd.Prefix(src.Store.Mem.Path)
	reduced, err := r.reduced(p.reduced[:0], src)
	if err != nil {
		return err
	}
	result, err := r.dtype(p.have, src)
	if err != nil {
		return err
	}
	if both {
		result = dst.Store.DType
	}
	count, fits, k := 1, true, 0
	for axis, is := range reduced {
		switch n := src.Layout.Len(axis); {
		case is:
			count *= n
		case k < dst.Layout.NDim() && dst.Layout.Len(k) == n:
			k++
		default:
			fits = false
		}
	}
	switch to := dst.Store.DType; {
	case dst.Write == nd.NoWrite:
		return fmt.Errorf("%s%w", nd.Prefix(dst.Store.Mem.Path), ErrReadOnly)
	case !fits || k < dst.Layout.NDim():
		return fmt.Errorf("%s%w: the result has shape %s and dst %s", nd.Prefix(dst.Store.Mem.Path), ErrShape,
			nd.Tuple(shapeWithout(src.Layout, reduced)), nd.Tuple(dst.Shape()))
	case result.Kind() == dtype.KindComplex && to.Kind() != dtype.KindComplex:
		return &DTypeError{Path: dst.Store.Mem.Path, Have: to, Want: result, Msg: "complex numbers do not become real ones"}
	case dst.MayOverlap(&src):
		return fmt.Errorf("%sdst shares memory with what is reduced; reduce to another array", nd.Prefix(dst.Store.Mem.Path))
	case r.Op == OpQuantile && !(r.Q >= 0 && r.Q <= 1):
		return fmt.Errorf("%sa quantile for %v; want 0 to 1", path, r.Q)
	case count == 0 && (r.Op >= OpMin && r.Op <= OpArgMax || r.Op == OpQuantile && !r.SkipNaN):
		return fmt.Errorf("%s%w: no elements along the axes, so there is no %v", path, ErrShape, r.Op)
	}
	if to := dst.Store.DType; to != result {
		if _, err := elem.New(to, result); err != nil {
			return &DTypeError{Path: dst.Store.Mem.Path, Have: to, Want: result, Msg: err.Error()}
		}
	}
	p.told = report.Counter{Report: r.Progress, Total: int64(src.NBytes())}
	if r.Progress != nil {
		p.job.Progress = func(n int) error { return p.told.Add(int64(n)) }
	}
	err = p.told.Begin()
	if err == nil {
		if isRanked := r.Op == OpMedian || r.Op == OpQuantile; isRanked && count > longRow/p.have.ItemSize() {
			err = p.longRows(dst, src, reduced)
		} else {
			err = p.all(dst, src, reduced)
		}
	}
	if err == nil {
		err = p.told.End() // not all that is broadcast is read
	}
	if errors.Is(err, reduce.ErrAllNaN) || errors.Is(err, reduce.ErrChanged) {
		return fmt.Errorf("%s%w", path, err)
	}
	return err
}

// A part of the elements that are reduced, and the position of its first element.
type reducedPart struct {
	nd.View
	pos int
}

// A reducer is a reduction that is under way.
type reducer struct {
	job      reduce.Job
	have     dtype.DType // of the numbers
	told     report.Counter
	along    int           // not 0: pieces follow one another along this axis, counted from 1
	toNumber bool          // reduce to number, not to a destination
	number   reduce.Number // this

	// Memory for what most reductions need.
	reduced       [smallRank]bool
	positions     [smallRank]int
	part          [1]reducedPart
	piece         [1]strided.Piece
	piecePosition [1]int
}

var reducers = sync.Pool{New: func() any { return new(reducer) }}

func (p *reducer) free() {
	*p = reducer{}
	reducers.Put(p)
}

// smallRank is up to how many axes a reduction does not allocate for them.
const smallRank = 8

// whole reduces all elements of c to a number.
func (p *reducer) whole(c nd.View) error {
	p.toNumber = true
	reduced := p.reduced[:0]
	for range c.Layout.NDim() {
		reduced = append(reduced, true)
	}
	return p.all(nd.View{}, c, reduced)
}

// all reduces src to dst. An element has the position that it has in C order among those along the axes that are
// reduced.
func (p *reducer) all(dst, src nd.View, reduced []bool) error {
	positions := p.positions[:0]
	for range reduced {
		positions = append(positions, 0)
	}
	step := 1
	for k := len(reduced) - 1; k >= 0 && (p.job.Op == reduce.ArgMin || p.job.Op == reduce.ArgMax); k-- {
		if reduced[k] {
			positions[k] = step
			step *= src.Layout.Len(k)
		}
	}
	p.part[0] = reducedPart{src, 0}
	return p.parts(dst, p.part[:], reduced, positions)
}

// parts reduces arrays of one layout, each of which lies in one memory, or is taken apart. reduced and positions are
// by axis.
func (p *reducer) parts(dst nd.View, parts []reducedPart, reduced []bool, positions []int) error {
	axis := -1
	for _, part := range parts {
		axis = max(axis, part.MemberAxis())
	}
	if axis < 0 {
		return p.pieces(dst, parts, reduced, positions)
	}
	if part := &parts[0]; part.Store.Joined != nil && part.Store.Joined.Starts != nil {
		return p.joined(dst, part.Array, part.pos, axis, reduced, positions)
	}
	var all []reducedPart
	at := 0 // the axis of dst
	for _, is := range reduced[:axis] {
		if !is {
			at++
		}
	}
	n, isReduced, step := parts[0].Layout.Len(axis), reduced[axis], positions[axis]
	reduced, positions = slices.Delete(slices.Clone(reduced), axis, axis+1), slices.Delete(slices.Clone(positions), axis,
		axis+1)
	for i := range n {
		for _, part := range parts {
			all = append(all, reducedPart{part.AtAxis(axis, i), part.pos + i*step})
		}
		if !isReduced {
			if err := p.parts(dst.AtAxis(at, i), all, reduced, positions); err != nil {
				return err
			}
			all = all[:0]
		}
	}
	if !isReduced {
		return nil
	}
	return p.parts(dst, all, reduced, positions)
}

// joined is parts of an array whose parts follow one another along an axis.
func (p *reducer) joined(dst, c nd.View, pos, axis int, reduced []bool, positions []int) error {
	if c.Layout.Stride(axis) < 0 && reduced[axis] {
		pos += (c.Layout.Len(axis) - 1) * positions[axis]
		positions = slices.Clone(positions)
		positions[axis] = -positions[axis]
		sel := make([]index.Selector, axis+1) // colons
		sel[axis] = index.Step(index.Omit, index.Omit, -1)
		c = nd.Must(c.Derive(c.Layout.Select(sel...)))
	}
	to := 0 // the axis of dst
	for _, is := range reduced[:axis] {
		if !is {
			to++
		}
	}
	var all []reducedPart
	for i := 0; i < c.Layout.Len(axis); {
		run := max(1, c.LenInMember(axis, i))
		part := reducedPart{nd.Must(c.Derive(nd.SelectRange(c.Layout, axis, i, run))), pos + i*positions[axis]}
		if all = append(all, part); !reduced[axis] {
			results := nd.Must(dst.Derive(nd.SelectRange(dst.Layout, to, i, run)))
			if err := p.pieces(results, all, reduced, positions); err != nil {
				return err
			}
			all = all[:0]
		}
		i += run
	}
	if !reduced[axis] {
		return nil
	}
	p.along = axis + 1
	return p.pieces(dst, all, reduced, positions)
}

// pieces reduces arrays that lie in one piece of memory each.
func (p *reducer) pieces(dst nd.View, parts []reducedPart, reduced []bool, positions []int) error {
	el := parts[0].Store
	src := reduce.Source{Type: p.have.WithOrder(dtype.Native), DType: el.DType, Pieces: p.piece[:0],
		Positions: p.piecePosition[:0], Along: p.along}
	if el.Converts {
		src.Load = &el.Decode
	}
	for _, part := range parts {
		src.Pieces, src.Positions = append(src.Pieces, part.Piece()), append(src.Positions, part.pos)
	}
	job := p.job
	job.Reduced, job.Positions = reduced, positions
	if p.toNumber {
		var err error
		p.number, err = job.Whole(src)
		return err
	}
	if dst.IsPlain() {
		return job.Into(dst.Piece(), dst.Store.DType, src)
	}
	tmp, err := New(dst.Store.DType, index.C, dst.Shape()...)
	if err != nil {
		return err
	}
	defer tmp.Close()
	if err := job.Into(tmp.view.Piece(), dst.Store.DType, src); err != nil {
		return err
	}
	return nd.Copy(dst, tmp.view)
}
