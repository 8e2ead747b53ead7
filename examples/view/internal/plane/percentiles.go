package plane

import (
	"context"
	"math"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/pages"
	"github.com/ndmap/ndmap/index"
)

// A Range is the percentiles of a plane, and the least and greatest of what is finite of it.
type Range struct {
	Lo, Hi, Min, Max float64 // NaN if nothing is finite
	Sampled          bool
}

// rangeSide is how many elements are read for percentiles, in either direction.
const rangeSide = 128

// Range returns the percentiles lo and hi, from 0 to 100, of a plane: of all of its finite elements if
// it is small, and else of some.
func (p *Plane) Range(ctx context.Context, lo, hi float64) (Range, error) {
	h, w := p.Size()
	stepY, stepX := max(1, (h-1)/rangeSide+1), max(1, (w-1)/rangeSide+1)
	if h == 1 {
		stepX = max(1, (w-1)/(rangeSide*rangeSide)+1)
	}
	few, err := p.a.Select(index.Step(stepY/2, index.Omit, stepY), index.Step(stepX/2, index.Omit, stepX))
	if err != nil {
		return Range{}, err
	}
	strides := p.a.Strides()
	pages.Fetch(ctx, p.a.Map, p.a.Offset+stepY/2*strides[0]+stepX/2*strides[1], pages.Dims(few.Layout()), few.ItemSize())
	few, err = p.numbers(few)
	if err != nil {
		return Range{}, err
	}
	v, err := array.Cast[float64](few)
	if err != nil {
		return Range{}, err
	}
	s := slices.DeleteFunc(slices.Collect(v.Values()), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
	nan := math.NaN()
	r := Range{nan, nan, nan, nan, stepX > 1 || stepY > 1}
	if len(s) == 0 {
		return r, nil
	}
	finite, err := array.FromSlice(s)
	if err != nil {
		return Range{}, err
	}
	q, err := array.Quantile(finite, lo/100, hi/100)
	if err != nil {
		return Range{}, err
	}
	r.Lo, r.Hi = q[0], q[1]
	r.Min, r.Max = array.MinMax(finite)
	return r, nil
}
