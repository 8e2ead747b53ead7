package source

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/far"
	"github.com/ndmap/ndmap/index"
)

const (
	partResults = 1 << 18  // maximum number of results of a Reduction, which needs up to 112 bytes for each
	partFetched = 16 << 20 // maximum number of bytes that are fetched from a web server between two reports of progress
)

// A Projection describes how the elements of an array are combined along some axes. The result keeps these axes, with
// length 1. NaN is ignored, as in the statistics of a box.
type Projection struct {
	Field []string // path of the field
	Op    array.Op
	Along []Along
}

// An Along selects the indices from From to To-1 of an axis.
type Along struct {
	Axis int `json:"axis"`
	From int `json:"from"`
	To   int `json:"to"`
}

// Projectable reports whether elements of d can be combined.
func Projectable(d dtype.DType) bool { return d.IsNumber() && !d.IsLongDouble() }

// selectFrom returns the elements of a that are combined, and the dtype and the shape of the result.
func (p Projection) selectFrom(a array.Array) (src array.Array, d dtype.DType, shape []int, err error) {
	if !Projectable(a.DType()) {
		return src, d, nil,
			fmt.Errorf("elements of dtype %.100v cannot be combined: want booleans or numbers, except long doubles",
				a.DType())
	}
	if len(p.Along) == 0 {
		return src, d, nil, errors.New("along has no axis; want at least one")
	}
	sel := make([]index.Selector, a.NDim())
	for k := range sel {
		sel[k] = index.Colon
	}
	shape = slices.Clone(a.Shape())
	for i, x := range p.Along {
		switch k := x.Axis; {
		case slices.ContainsFunc(p.Along[:i], func(y Along) bool { return y.Axis == k }):
			return src, d, nil, fmt.Errorf("duplicate axis %d", k)
		case k < 0 || k >= a.NDim():
			return src, d, nil, fmt.Errorf("axis=%d: the array has %d dimensions", k, a.NDim())
		case x.From < 0 || x.From >= x.To || x.To > a.Len(k):
			return src, d, nil, fmt.Errorf("axis %d: from=%d, to=%d: want 0 <= from < to <= %d", k, x.From, x.To, a.Len(k))
		default:
			sel[k], shape[k] = index.Range(x.From, x.To), 1
		}
	}
	if src, err = a.Select(sel...); err == nil {
		d, err = p.reduction().DType(src)
	}
	return src, d, shape, err
}

// reduction returns the reduction that computes p.
func (p Projection) reduction() array.Reduction {
	return array.Reduction{Op: p.Op, Axes: p.Axes(), SkipNaN: true}
}

// Axes returns the axes of p.
func (p Projection) Axes() []int {
	axes := make([]int, len(p.Along))
	for i, x := range p.Along {
		axes[i] = x.Axis
	}
	return axes
}

// A projector computes the results of a projection part by part.
type projector struct {
	array.Reduction
	far      *far.File // not nil if the elements must be fetched first
	progress func(float64) error
	done     float64 // bytes that have been fetched or combined
	total    float64
}

// compute combines the elements of src and stores the results in dst, which has the same axes. It calls progress with
// the fraction of the work done, and stops if progress returns an error.
func (p Projection) compute(ctx context.Context, dst, src array.Array, f *far.File,
	progress func(float64) error) error {
	w := &projector{Reduction: p.reduction(), far: f, progress: progress, total: float64(src.NBytes())}
	if f != nil {
		w.total *= 2
	}
	return w.each(ctx, dst, src)
}

// each divides the results into parts of up to partResults, and computes them. Large strides are divided first, so that
// the elements of a part are in few runs.
func (w *projector) each(ctx context.Context, dst, src array.Array) error {
	if dst.Size() <= partResults {
		return w.part(ctx, dst, src)
	}
	axis := longestStride(src, w.Axes)
	step := max(1, partResults/(dst.Size()/dst.Len(axis)))
	return eachRange(dst.NDim(), axis, dst.Len(axis), step, func(sel []index.Selector) error {
		d, err := dst.Select(sel...)
		if err != nil {
			return err
		}
		s, err := src.Select(sel...)
		if err != nil {
			return err
		}
		return w.each(ctx, d, s)
	})
}

// part computes the results dst of src.
func (w *projector) part(ctx context.Context, dst, src array.Array) error {
	if w.far != nil {
		if err := w.fetch(ctx, src); err != nil {
			return err
		}
	}
	dst, err := dst.Squeeze(w.Axes...)
	if err != nil {
		return err
	}
	before := w.done
	r := w.Reduction
	r.Progress = func(done, total int64) error {
		w.done = before + float64(done)
		return w.progress(w.done / w.total)
	}
	return r.Into(dst, src)
}

// fetch fetches the elements of a from the web server.
func (w *projector) fetch(ctx context.Context, a array.Array) error {
	if a.NBytes() > partFetched && a.Size() > 1 {
		axis := longestStride(a, nil)
		return eachRange(a.NDim(), axis, a.Len(axis), (a.Len(axis)+1)/2, func(sel []index.Selector) error {
			half, err := a.Select(sel...)
			if err != nil {
				return err
			}
			return w.fetch(ctx, half)
		})
	}
	if err := w.far.Fetch(ctx, a); err != nil {
		return err
	}
	w.done += float64(a.NBytes())
	return w.progress(w.done / w.total)
}

// longestStride returns the axis of a with the longest stride, of the axes that are not in except and have more than
// one index. a must have such an axis.
func longestStride(a array.Array, except []int) int {
	axis := -1
	for k, n := range a.Shape() {
		if n > 1 && !slices.Contains(except, k) && (axis == -1 || a.Strides()[k] > a.Strides()[axis]) {
			axis = k
		}
	}
	return axis
}

// eachRange calls f with selectors, for each of n axes, that divide one axis of the given length into ranges of step
// indices.
func eachRange(n, axis, length, step int, f func([]index.Selector) error) error {
	for k := 0; k < length; k += step {
		sel := make([]index.Selector, n)
		for i := range sel {
			sel[i] = index.Colon
		}
		sel[axis] = index.Range(k, min(k+step, length))
		if err := f(sel); err != nil {
			return err
		}
	}
	return nil
}
