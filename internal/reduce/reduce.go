// Package reduce makes one number of many: sums, extremes, their positions, moments, along
// any axes of an array.
//
// The elements are taken in the order of the memory, each once. A tile of them at a time
// becomes a matrix, whose rows or columns are reduced: it is the memory itself where that has
// numbers of Go one after the other, and a buffer that stays in the cache elsewhere, to which
// package elem moves them. What a row or column becomes is added to its states: an array for
// all results that are under way.
//
// Goroutines share what is large so that the result does not depend on how many there are:
// either each has results of its own, or each has parts that the layout alone determines,
// whose results are merged in order.
package reduce

import (
	"errors"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// Op is what becomes of the elements.
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
	Count
	Moments
	Prod
	Any    // whether a number is not 0, and
	All    // whether none is: Max and Min of bools
	Median // these two have ranks: ranked.go
	Quantile
	Total  // the sum of real numbers as a float64, of complex ones as a complex128, and
	MinMax // the least and the greatest: of all elements alone
)

func (op Op) isArg() bool { return op == ArgMin || op == ArgMax }

// ErrAllNaN is the error of a position among numbers that are all NaN, and left out.
var ErrAllNaN = errors.New("all elements are NaN and left out, so none has a position")

// A Job is a reduction.
type Job struct {
	Op        Op
	SkipNaN   bool
	DDof      int
	WithMean  bool              // results of Std are a MeanStd, or of complex numbers a ComplexMeanStd
	Q         float64           // of Quantile
	Reduced   []bool            // by axis of the source: whether it is reduced, and
	Positions []int             // how many positions its elements are apart
	Progress  func(n int) error // is called after each n bytes or so of the source
}

// A Source is what is reduced: pieces of one layout.
type Source struct {
	Pieces    []strided.Piece
	Positions []int       // of the first elements
	Type      dtype.DType // of a number that Load makes
	Load      *elem.Codec // nil: the elements are numbers of that type, in some byte order
	DType     dtype.DType // of the elements

	// Along, if it is not 0, is the axis, counted from 1, along which the pieces follow one another in the order of the
	// memory; their lengths may differ there. It is reduced, and the slowest one in each piece.
	Along int
}

// whole returns the layout of all pieces along one another.
func (s *Source) whole() index.Layout {
	shape := s.Pieces[0].Layout.Shape()
	for _, p := range s.Pieces[1:] {
		shape[s.Along-1] += p.Layout.Len(s.Along - 1)
	}
	lay, err := index.Strided(shape, s.Pieces[0].Layout.Strides())
	if err != nil {
		panic("array: bug: " + err.Error())
	}
	return lay
}

// Type returns the dtype of the numbers that op makes of those of dtype d, in native byte
// order. Those of Moments are six of 8 bytes.
func (op Op) Type(d dtype.DType) dtype.DType {
	d = d.WithOrder(dtype.Native)
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

// Into reduces src to dst. The axes of dst are those of src that are not reduced, and assign
// converts from the type that the states have: integers of 32 or 64 bits, float64, complex128, or
// for extremes that of the numbers.
func (j Job) Into(dst strided.Piece, dstType dtype.DType, src Source) error {
	if dst.Layout.Size() == 0 {
		return nil
	}
	j, src, err := j.asBools(src)
	if err != nil {
		return err
	}
	if dst.Layout.NDim() == 0 && len(src.Pieces) == 1 && src.Load == nil && j.Progress == nil {
		if x, ok := j.Small(src.DType, src.Pieces[0]); ok {
			assign, err := elem.New(dstType, j.Op.resultOf(src.Type))
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
	if e.assign, err = elem.New(dstType, e.resultType()); err != nil {
		return err
	}
	if j.Op.isRanked() {
		return e.ranked()
	}
	if done, err := e.separately(); done {
		return err
	}
	return e.chunks(e.boxes, 0, e.dst.P)
}

// isCopy reports whether each result is the one element that it is made of.
func (e *engine) isCopy(src Source) bool {
	return e.count == 1 && len(e.src) == 1 && src.Load == nil && !e.SkipNaN && e.Progress == nil &&
		(e.Op == Min || e.Op == Max || (e.Op == Sum || e.Op == Prod) && elem.IsIntegral(src.Type))
}

// asBools returns j and src for Any and All as the reduction of bools that they are.
func (j Job) asBools(src Source) (Job, Source, error) {
	switch j.Op {
	case Any:
		j.Op = Max
	case All:
		j.Op = Min
	default:
		return j, src, nil
	}
	if src.Type.Kind() == dtype.KindBool {
		return j, src, nil
	}
	d := src.DType
	if src.Load != nil {
		d = src.Type
	} else if kind := d.Kind(); kind == dtype.KindInt || kind == dtype.KindUint {
		d = d.WithOrder(dtype.Native) // zero is zero in either
	}
	load, err := elem.New(dtype.Bool, d)
	if src.Load != nil {
		load = elem.Chain(src.Load, &load)
	}
	src.Load, src.Type = &load, dtype.Bool
	return j, src, err
}

// copy does what isCopy says.
func (e *engine) copy(dst strided.Piece, dstType dtype.DType, src Source) error {
	to := dstType
	if to.Kind() == dtype.KindBool && to == src.DType { // a byte that is true may be any but 0, and becomes 1
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

// Whole reduces all axes of src to one number: of 64 bits for sums of integers, positions and counts; a float64 or
// complex128 for Total, Mean, Var and Std; one of the elements for Min and Max, two for MinMax; a Moment for Moments.
// Sums and extremes of floats of 2 bytes are float64 and float32, and extremes of complex numbers are complex128.
func (j Job) Whole(src Source) (x Number, err error) {
	e := engines.Get().(*engine)
	defer e.free()
	if err := e.init(j, strided.Piece{}, src); err != nil {
		return x, err
	}
	s, err := e.reduced(e.boxes)
	if err != nil {
		return x, err
	}
	b, err := s.results(e)
	if err != nil {
		return x, err
	}
	copy(strided.Bytes(x.words[:]), b)
	return x, nil
}
