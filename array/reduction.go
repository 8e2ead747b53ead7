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

// A Reduction combines the elements along some axes into one number, like the NumPy function named like the operation:
// with the same shapes, dtypes and rules for NaN. The zero Reduction computes the sum of all elements.
//
// Floats are added and multiplied in float64: on average at least as exact as NumPy, but a single result may be an ulp
// or two farther off. A product overflows only if the final result is too large. Integers wrap around in 64 bits.
//
// A reduction reads the elements once, in memory order, and needs up to 112 bytes for each result, plus 16 MiB.
// OpMedian and OpQuantile gather the elements of each result; if these exceed 16 MiB, they are read up to 5 times: see
// README.md.
type Reduction struct {
	Op Op

	// Axes are the axes to reduce; negative ones count from the end. nil means all axes, and []int{} none: each element
	// becomes a result. OpArgMin and OpArgMax take one axis, or nil for a position in C order.
	Axes []int

	// SkipNaN ignores NaN, as NumPy's nansum, nanmean, … do. If all elements of a result are NaN, the least and the
	// greatest element, the mean and the median are NaN, and a position is an error. OpMoments always ignores NaN.
	// OpCount, OpAny and OpAll never do.
	SkipNaN bool

	// DDof is subtracted from the number of elements that the variance is divided by. NumPy's default is 0. If a result
	// has DDof elements or fewer, it is NaN or infinite, as in NumPy.
	DDof int

	// Qs are the quantiles that OpQuantile computes, from 0 to 1. For several, the result has an additional first axis,
	// of length len(Qs). A single one adds no axis.
	Qs []float64

	// Progress, if it is not nil, is called as [SaveConfig] describes, and its error stops the work. done and total
	// count bytes of the elements of src.
	Progress func(done, total int64) error
}

// Shape returns the shape of the result: the shape of src without the reduced axes, preceded by len(Qs) if there are
// several. An axis that src does not have is a *[index.BoundsError]; for a duplicate axis the error wraps [ErrShape].
func (r Reduction) Shape(src Array) ([]int, error) {
	reduced, err := r.reducedAxes(nil, src.view)
	if err != nil {
		return nil, err
	}
	return r.shape(src.view.Layout, reduced), nil
}

// hasQuantileAxis reports whether the result has a first axis for several quantiles.
func (r *Reduction) hasQuantileAxis() bool { return r.Op == OpQuantile && len(r.Qs) > 1 }

// DType returns the dtype that NumPy gives the result, in the byte order of the machine. The error wraps [ErrDType] if
// src cannot be reduced: only numbers and booleans can be reduced, and complex numbers have no Moments, median or
// quantiles. To reduce times, make them int64 by [Array.Reinterpret].
func (r Reduction) DType(src Array) (dtype.DType, error) { return r.dtype(src.DType(), src.view) }

func (r Reduction) dtype(have dtype.DType, src nd.View) (dtype.DType, error) {
	if int(r.Op) >= len(opNames) {
		return dtype.DType{}, fmt.Errorf("array: unknown operation %v", r.Op)
	}
	msg := ""
	switch kind := have.Kind(); {
	case kind == dtype.KindDatetime || kind == dtype.KindTimedelta:
		msg = "cannot reduce times; Reinterpret them as int64"
	case have.IsLongDouble():
		msg = "cannot reduce long doubles; AsType(dtype.Float64, index.C) converts them"
	case !have.IsNumber():
		msg = fmt.Sprintf("%v requires numbers", r.Op)
	case kind == dtype.KindComplex && (r.Op == OpMedian || r.Op == OpQuantile):
		msg = fmt.Sprintf("complex numbers have no %v; Reinterpret them as real and imaginary parts along a longer last axis",
			r.Op)
	case kind == dtype.KindComplex && r.Op == OpMoments:
		msg = "complex numbers have no minimum, so no moments; Reinterpret them as real and imaginary parts along a longer last axis"
	}
	if msg != "" {
		return dtype.DType{}, nd.OfKind(fmt.Errorf("%s%s: have dtype %v", nd.Prefix(src.Store.Mem.Path), msg, have), ErrDType)
	}
	if r.Op == OpMoments {
		return momentsType, nil
	}
	return reduce.Op(r.Op).Type(have), nil
}

// reducedAxes returns, for each axis of src, whether it is reduced. It appends to buf.
func (r Reduction) reducedAxes(buf []bool, src nd.View) ([]bool, error) {
	src.MustBeSet()
	n := src.Layout.NDim()
	if isArg := r.Op == OpArgMin || r.Op == OpArgMax; isArg && r.Axes != nil && len(r.Axes) != 1 {
		return nil, fmt.Errorf("%s%w: %v along %d axes; want one axis, or nil for all", nd.Prefix(src.Store.Mem.Path),
			ErrShape,
			r.Op, len(r.Axes))
	}
	reduced := buf
	for range n {
		reduced = append(reduced, r.Axes == nil)
	}
	for _, axis := range r.Axes {
		k, err := fromStart(&src, axis)
		if err != nil {
			return nil, err
		}
		if reduced[k] {
			return nil, fmt.Errorf("%s%w: duplicate axis %d", nd.Prefix(src.Store.Mem.Path), ErrShape, axis)
		}
		reduced[k] = true
	}
	return reduced, nil
}

// shape returns the shape of the result for elements of layout lay.
func (r *Reduction) shape(lay index.Layout, reduced []bool) []int {
	shape := []int{}
	if r.hasQuantileAxis() {
		shape = append(shape, len(r.Qs))
	}
	for k, isReduced := range reduced {
		if !isReduced {
			shape = append(shape, lay.Len(k))
		}
	}
	return shape
}

// Into reduces src and stores the result in dst, which must have the shape that [Reduction.Shape] returns. The result
// is converted to the dtype of dst as by [Copy], without rounding to the dtype of [Reduction.DType] first. Complex
// results do not convert to real numbers.
//
// Into returns the errors of Shape and DType. The error wraps [ErrShape], too, if dst has another shape, or if there
// are no elements for a minimum, a maximum, a position or, without SkipNaN, a quantile. It wraps [ErrReadOnly] if dst
// is read-only, and is a *[DTypeError] if the result cannot be converted. dst must not share memory with src. After
// these errors, dst is unchanged. If all elements of a result are NaN and SkipNaN is set, a position is an error; after
// it, and after an error of Progress, dst may be partly written.
func (r Reduction) Into(dst, src Array) error {
	src.view.MustBeSet()
	return r.reduceInto(dst.view, src.view, false)
}

// reduceInto does the work of Into. If withMean is true, it stores means and standard deviations in dst, whose
// elements are structures of both.
func (r Reduction) reduceInto(dst, src nd.View, withMean bool) error {
	src.MustBeSet()
	dst.MustBeSet()
	p := reducers.Get().(*reducer)
	defer p.free()
	p.have = src.Store.DType
	p.job = reduce.Job{Op: reduce.Op(r.Op), SkipNaN: r.SkipNaN, DDof: r.DDof, Qs: r.Qs, WithMean: withMean}
	path := nd.Prefix(src.Store.Mem.Path)
	reduced, err := r.reducedAxes(p.reduced[:0], src)
	if err != nil {
		return err
	}
	result, err := r.dtype(p.have, src)
	if err != nil {
		return err
	}
	if withMean {
		result = dst.Store.DType
	}
	count, fits, k := 1, true, 0
	if r.hasQuantileAxis() {
		fits, k = dst.Layout.NDim() > 0 && dst.Layout.Len(0) == len(r.Qs), 1
	}
	for axis, isReduced := range reduced {
		switch n := src.Layout.Len(axis); {
		case isReduced:
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
		return fmt.Errorf("%s%w: the result has shape %s, but dst has shape %s", nd.Prefix(dst.Store.Mem.Path), ErrShape,
			nd.Tuple(r.shape(src.Layout, reduced)), nd.Tuple(dst.Shape()))
	case result.Kind() == dtype.KindComplex && to.Kind() != dtype.KindComplex:
		return &DTypeError{Path: dst.Store.Mem.Path, Have: to, Want: result,
			Msg: "cannot convert complex numbers to real numbers"}
	case dst.MayOverlap(&src):
		return fmt.Errorf("%sdst shares memory with src; reduce to another array", nd.Prefix(dst.Store.Mem.Path))
	case r.Op == OpQuantile && len(r.Qs) == 0:
		return fmt.Errorf("%sno quantile in Qs; want numbers from 0 to 1", path)
	case r.Op == OpQuantile && slices.ContainsFunc(r.Qs, isInvalidQuantile):
		return quantileError(path, r.Qs)
	case count == 0 && (r.Op >= OpMin && r.Op <= OpArgMax || r.Op == OpQuantile && !r.SkipNaN):
		return fmt.Errorf("%s%w: no elements along the axes: %v is undefined", path, ErrShape, r.Op)
	}
	if to := dst.Store.DType; to != result {
		if _, err := elem.New(to, result); err != nil {
			return &DTypeError{Path: dst.Store.Mem.Path, Have: to, Want: result, Msg: err.Error()}
		}
	}
	p.counter = report.Counter{Report: r.Progress, Total: int64(src.NBytes())}
	if r.Progress != nil {
		p.job.Progress = func(n int) error { return p.counter.Add(int64(n)) }
	}
	if r.hasQuantileAxis() {
		dst = nd.Must(dst.Derive(moveFirstAxisLast(dst.Layout)))
	}
	err = p.counter.Begin()
	if err == nil {
		err = p.reduceDistinct(dst, src, reduced, count)
	}
	if err == nil {
		err = p.counter.End() // broadcast elements are read less often than Total counts them
	}
	if errors.Is(err, reduce.ErrAllNaN) || errors.Is(err, reduce.ErrChanged) {
		return fmt.Errorf("%s%w", path, err)
	}
	return err
}

// reduceDistinct reduces src to dst; each result is of count elements. Along a broadcast axis it computes the first
// results, and copies them to the other indices.
func (p *reducer) reduceDistinct(dst, src nd.View, reduced []bool, count int) error {
	k := 0
	for axis, isReduced := range reduced {
		if n := src.Layout.Len(axis); !isReduced && n > 1 && src.Layout.Stride(axis) == 0 && src.Store.Joined == nil {
			first := nd.Must(dst.Derive(nd.SelectRange(dst.Layout, k, 0, 1)))
			src := nd.Must(src.Derive(nd.SelectRange(src.Layout, axis, 0, 1)))
			if err := p.reduceDistinct(first, src, reduced, count); err != nil {
				return err
			}
			return nd.Copy(nd.Must(dst.Derive(nd.SelectRange(dst.Layout, k, 1, n-1))), first)
		}
		if !isReduced {
			k++
		}
	}
	if op := p.job.Op; (op == reduce.Median || op == reduce.Quantile) && count > longRow/p.have.ItemSize() {
		return p.reduceLongRows(dst, src, reduced)
	}
	return p.eachPlainReduction(dst, src, reduced, (*reducer).reducePlainToArray)
}

// moveFirstAxisLast returns lay with the first axis moved to the end, for [nd.View.Derive]. Package reduce expects
// the axis of several quantiles there, so that the axes before it are the kept axes of src.
func moveFirstAxisLast(lay index.Layout) (index.Layout, int, error) {
	lay, err := lay.MoveAxis(0, -1)
	return lay, 0, err
}

// A reducer holds the state of one reduction.
type reducer struct {
	job     reduce.Job
	have    dtype.DType // dtype of the source elements
	counter report.Counter
	number  reduce.Number // the result of reducePlainToNumber

	// The fields below save most reductions an allocation.
	reduced   [smallRank]bool
	positions [smallRank]int
	part      [1]nd.Array
	first     [1]int
	plain     nd.Reduction
	piece     [1]strided.Piece
}

var reducers = sync.Pool{New: func() any { return new(reducer) }}

func (p *reducer) free() {
	*p = reducer{}
	reducers.Put(p)
}

// smallRank is the maximum number of axes that a reduction keeps without allocating.
const smallRank = 8

// reduceToNumber reduces all elements of c to p.number.
func (p *reducer) reduceToNumber(c nd.View) error {
	reduced := p.reduced[:0]
	for range c.Layout.NDim() {
		reduced = append(reduced, true)
	}
	return p.eachPlainReduction(nd.View{}, c, reduced, (*reducer).reducePlainToNumber)
}

// eachPlainReduction calls fn with reductions of plain arrays that together reduce src to dst. The position of an
// element is its position in C order along the axes that are reduced.
func (p *reducer) eachPlainReduction(dst, src nd.View, reduced []bool, fn func(p *reducer,
	r *nd.Reduction) error) error {
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
	a, ok := src.Plain()
	if !ok {
		return src.EachReduction(dst, reduced, positions, func(r *nd.Reduction) error { return fn(p, r) })
	}
	p.part[0] = a
	p.plain = nd.Reduction{Dst: dst, Parts: p.part[:], First: p.first[:], Reduced: reduced, Positions: positions}
	return fn(p, &p.plain)
}

// prepareSource sets the axes of the job to the axes of r, a reduction of plain arrays, and returns the source of r.
func (p *reducer) prepareSource(r *nd.Reduction) reduce.Source {
	p.job.Reduced, p.job.Positions = r.Reduced, r.Positions
	el := r.Parts[0].Store
	src := reduce.Source{Type: p.have.WithByteOrder(dtype.Native), DType: el.DType, Pieces: p.piece[:0],
		Positions: r.First,
		Along:     r.Along}
	if el.Converts {
		src.Load = &el.Decode
	}
	for k := range r.Parts {
		src.Pieces = append(src.Pieces, r.Parts[k].Piece)
	}
	return src
}

// reducePlainToNumber reduces plain arrays to p.number.
func (p *reducer) reducePlainToNumber(r *nd.Reduction) (err error) {
	src := p.prepareSource(r)
	p.number, err = p.job.Whole(&src)
	return err
}

// reducePlainToArray reduces plain arrays to r.Dst.
func (p *reducer) reducePlainToArray(r *nd.Reduction) error {
	src := p.prepareSource(r)
	if dst, ok := r.Dst.Plain(); ok {
		return p.job.Into(dst.Piece, dst.Store.DType, &src)
	}
	tmp, err := r.Dst.Compact(index.C)
	if err != nil {
		return err
	}
	to, _ := tmp.Plain()
	if err := p.job.Into(to.Piece, tmp.Store.DType, &src); err != nil {
		return err
	}
	return nd.Copy(r.Dst, tmp)
}
