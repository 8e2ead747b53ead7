// Package reduce computes sums, extremes, positions of extremes, moments, products and ranks along any axes of an
// array.
//
// An engine visits each element once, in memory order, tile by tile. A tile is a matrix whose rows or columns are
// reduced. If the elements are consecutive Go numbers, the tile is the memory itself. Otherwise package elem copies the
// elements to a buffer that fits the cache. Each row or column is added to the accumulator of its result; see
// accumulators.
//
// Goroutines share the work on large arrays, and the result does not depend on their number. Either each goroutine
// computes different results, or each reduces parts that only the layout determines, and the accumulators of the parts
// are merged in order.
package reduce

import (
	"errors"
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// An Op is an operation that reduces elements to a result.
type Op uint8

const (
	Sum Op = iota
	Mean
	Var
	Std
	Min
	Max
	ArgMin
	ArgMax
	Count // number of elements that are not 0
	Moments
	Prod
	Any    // whether an element is not 0: Max of bools
	All    // whether no element is 0: Min of bools
	Median // see isRanked
	Quantile
	Total  // the sum of real numbers as a float64, or of complex numbers as a complex128; only in Job.Whole
	MinMax // the least and the greatest number; only in Job.Whole
)

func (op Op) isArg() bool { return op == ArgMin || op == ArgMax }

// ErrAllNaN reports that ArgMin or ArgMax has no result because all elements are NaN and were left out.
var ErrAllNaN = errors.New("all elements are NaN and were skipped, so ArgMin and ArgMax are undefined")

// A Job describes a reduction.
type Job struct {
	Op        Op
	SkipNaN   bool
	DDof      int
	WithMean  bool              // the results of Std are meanStds
	Qs        []float64         // for Quantile: one or more numbers from 0 to 1
	Reduced   []bool            // for each axis of the source, whether it is reduced
	Positions []int             // for each axis, the difference between the positions of consecutive elements
	Progress  func(n int) error // called each time another n bytes of the source are done

	// Convert is elem.New, or nil if all numbers already have their work dtype. Callers of Whole set it, so that the
	// linker can leave conversions out of programs that never need them. Into sets Convert itself.
	Convert func(dst, src dtype.DType) (elem.Codec, error)
}

// A Source holds the elements to reduce, in pieces with the same strides.
type Source struct {
	Pieces    []strided.Piece
	Positions []int       // the position of the first element of each piece
	Type      dtype.DType // the dtype of the numbers that Load returns
	Load      *elem.Codec // nil if the elements are numbers of dtype Type, in any byte order
	DType     dtype.DType // the dtype of the elements in memory

	// Along is 0, or 1 plus the axis along which the pieces follow each other in memory order. This axis is reduced, and
	// it is the slowest axis of each piece. The lengths of pieces along this axis may differ.
	Along int
}

// joinedLayout returns the layout of the pieces joined along axis Along-1.
func (s *Source) joinedLayout() index.Layout {
	shape := s.Pieces[0].Layout.Shape()
	for _, p := range s.Pieces[1:] {
		shape[s.Along-1] += p.Layout.Len(s.Along - 1)
	}
	lay, err := index.Strided(shape, s.Pieces[0].Layout.Strides())
	if err != nil {
		panic(fmt.Errorf("array: bug: %w", err))
	}
	return lay
}

// codecTo returns a codec that converts elements of s to dtype d. If onlyZero is true, it only matters which numbers
// are 0, so integers may have any byte order. The codec may point to second, which codecTo sets.
func (j *Job) codecTo(d dtype.DType, s *Source, onlyZero bool, second *elem.Codec) (c elem.Codec, err error) {
	from := s.DType
	if kind := from.Kind(); onlyZero && (kind == dtype.KindInt || kind == dtype.KindUint) {
		from = from.WithByteOrder(dtype.Native)
	}
	switch isSame := d.Equal(s.Type); {
	case s.Load == nil && isSame:
		return elem.Native(from), nil
	case s.Load == nil:
		return j.Convert(d, from)
	case isSame:
		return *s.Load, nil
	}
	*second, err = j.Convert(d, s.Type)
	return elem.Chain(s.Load, second), err
}

// Type returns the dtype of the results for numbers of dtype d, in native byte order. It does not apply to Moments,
// whose results are a [Moment].
func (op Op) Type(d dtype.DType) dtype.DType {
	d = d.WithByteOrder(dtype.Native)
	kind := d.Kind()
	isInt := elem.IsIntegral(d)
	switch op {
	case Sum, Prod:
		switch {
		case kind == dtype.KindUint:
			return dtype.Uint64
		case isInt:
			return dtype.Int64
		}
	case Any, All:
		return dtype.Bool
	case Quantile:
		return dtype.Float64
	case Mean, Var, Std, Median:
		switch {
		case isInt:
			return dtype.Float64
		case kind == dtype.KindComplex && op != Mean && d.ItemSize() == 8:
			return dtype.Float32
		case kind == dtype.KindComplex && op != Mean:
			return dtype.Float64
		}
	case ArgMin, ArgMax, Count:
		return dtype.Int64
	}
	return d
}

// Into reduces src to dst, whose elements have dtype dstType. The axes of dst are the kept axes of src. If there are
// several Qs, dst has an additional last axis for them.
func (j Job) Into(dst strided.Piece, dstType dtype.DType, src *Source) error {
	if dst.Layout.Size() == 0 {
		return nil
	}
	j.Convert = elem.New
	if err := j.convertToBools(src); err != nil {
		return err
	}
	if dst.Layout.NDim() == 0 && len(src.Pieces) == 1 && src.Load == nil && j.Progress == nil {
		if x, ok := j.Small(src.DType, src.Pieces[0]); ok {
			assign, err := elem.New(dstType, j.Op.resultType(src.Type))
			assign.One(dst.P, strided.Hide(pointer(&x.words)))
			return err
		}
	}
	e := engines.Get().(*engine)
	defer e.free()
	if err := e.init(j, dst, src); err != nil {
		return err
	}
	if e.isCopy(src) {
		return e.copy(dst, dstType, src)
	}
	var err error
	if e.assign, err = elem.New(dstType, e.resultType()); err != nil {
		return err
	}
	if j.Op.isRanked() {
		return e.reduceRanked(dst)
	}
	if done, err := e.reduceSeparately(); done {
		return err
	}
	return e.reduceInBatches(e.boxes, 0, e.dst.P)
}

// convertToBools replaces Any and All by Max and Min of bools. For these, and for Count of complex numbers, it makes
// src convert its elements to bools.
func (j *Job) convertToBools(src *Source) error {
	switch kind := src.Type.Kind(); {
	case j.Op == Any:
		j.Op = Max
	case j.Op == All:
		j.Op = Min
	case j.Op != Count || kind != dtype.KindComplex:
		return nil
	}
	if src.Type.Kind() == dtype.KindBool {
		return nil
	}
	load, err := j.codecTo(dtype.Bool, src, true, new(elem.Codec))
	src.Load, src.Type = &load, dtype.Bool
	return err
}

// isCopy reports whether each result equals the one element that is reduced to it.
func (e *engine) isCopy(src *Source) bool {
	return e.count == 1 && len(e.src) == 1 && src.Load == nil && !e.SkipNaN && e.Progress == nil &&
		(e.Op == Min || e.Op == Max || (e.Op == Sum || e.Op == Prod) && elem.IsIntegral(src.Type))
}

// copy copies each element to its result, if isCopy returns true.
func (e *engine) copy(dst strided.Piece, dstType dtype.DType, src *Source) error {
	to := dstType
	if to.Kind() == dtype.KindBool && to == src.DType { // any byte except 0 is true, and becomes 1
		to = dtype.Uint8
	}
	codec, err := elem.New(to, src.DType)
	if err != nil {
		return err
	}
	from := src.Pieces[0]
	var shape, strides []int
	for k, reduced := range e.Reduced {
		if d := from.Layout.Dim(k); !reduced {
			shape, strides = append(shape, d.Len), append(strides, d.Stride)
		}
	}
	if from.Layout, err = index.Strided(shape, strides); err != nil {
		return err
	}
	return strided.Copy(dst, from, &codec)
}

// Whole reduces all axes of src to one number. Its type depends on the operation:
//   - sums of integers, positions, and counts are int64 or uint64;
//   - Total, Mean, Var and Std are float64, or complex128 for Total and Mean of complex numbers;
//   - Min and Max have the type of the elements, except that float32 replaces floats of 1 and 2 bytes, and complex128
//     replaces complex64; MinMax is two such numbers;
//   - sums of floats are float64, and of complex numbers complex128;
//   - the result of Moments is a [Moment].
func (j Job) Whole(src *Source) (x Number, err error) {
	if err := j.convertToBools(src); err != nil {
		return x, err
	}
	e := engines.Get().(*engine)
	defer e.free()
	if err := e.init(j, strided.Piece{}, src); err != nil {
		return x, err
	}
	s, err := e.accumulate(e.boxes)
	if err != nil {
		return x, err
	}
	b, err := s.results(e, nil)
	copy(strided.Bytes(x.words[:]), b)
	return x, err
}
