package plane

import (
	"context"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pages"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/index"
)

// stripElements is the number of elements that fill processes, and copies if they must be computed, between two checks
// of ctx.
const stripElements = 1 << 20

// fill sets dst, an array of rows × columns × channels of pixels, from the elements of src. g is the grid of pixels
// over src.
func (p *Plane) fill(ctx context.Context, dst array.Array, src pick.Array, g grid, plan plan, how How) error {
	pages.Fetch(ctx, src.Map, src.Offset, g.dims(plan), g.itemSize)
	if plan.coarse > 1 {
		return p.fillCoarse(ctx, dst, src, g, plan)
	}
	// Each section has pixels of one size. The last row and column may have smaller pixels; Select clips plan.y and plan.x
	// there.
	for _, y := range split(src.Len(0), g.py) {
		perRow := min(plan.y.n, y.pixel) * g.cols * plan.x.n * g.channels
		for _, y := range y.strips(max(1, stripElements/perRow)) {
			for _, x := range split(src.Len(1), g.px) {
				if err := ctx.Err(); err != nil {
					return err
				}
				d, err := dst.Select(index.Range(y.first, y.first+y.n), index.Range(x.first, x.first+x.n))
				if err != nil {
					return err
				}
				s, err := src.Select(index.Range(y.first*g.py, y.first*g.py+y.n*y.pixel), index.Range(x.first*g.px,
					x.first*g.px+x.n*x.pixel))
				if err != nil {
					return err
				}
				if s, err = s.Reshape(y.n, y.pixel, x.n, x.pixel, g.channels); err != nil {
					return err
				}
				s, err = s.Select(index.Colon, plan.y.selector(), index.Colon, plan.x.selector())
				if err != nil {
					return err
				}
				if err := s.Fetch(ctx); err != nil {
					return err
				}
				if err := p.reduce(d, s, how); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// reduce sets the pixels dst from from, whose axes 1 and 3 hold the elements of a pixel.
func (p *Plane) reduce(dst array.Array, from pick.Array, how How) error {
	single := from.Len(1) == 1 && from.Len(3) == 1
	if how == Mean && !single && from.Minus == nil && p.read.Part == pick.Angle &&
		from.DType().Kind() == dtype.KindComplex {
		return p.reduceAngles(dst, from.Array)
	}
	src, err := p.numbers(from)
	if err != nil {
		return err
	}
	if single {
		if src, err = src.Squeeze(1, 3); err != nil {
			return err
		}
		return array.Copy(dst, src)
	}
	return array.Reduction{Op: how.op(), Axes: []int{1, 3}, SkipNaN: true}.Into(dst, src)
}

// reduceAngles sets the pixels dst to the angles of the means of src. The mean of the angles would be wrong: 179 and
// -179 degrees would give 0 instead of 180.
func (p *Plane) reduceAngles(dst, src array.Array) error {
	means, err := array.FromSlice(make([]complex128, dst.Size()), dst.Shape()...)
	if err != nil {
		return err
	}
	if err := (array.Reduction{Op: array.OpMean, Axes: []int{1, 3}, SkipNaN: true}).Into(means.Array(), src); err != nil {
		return err
	}
	angles, err := p.numbers(pick.Array{Array: means.Array()})
	if err != nil {
		return err
	}
	return array.Copy(dst, angles)
}

// fillCoarse sets each square of plan.coarse × plan.coarse pixels of dst to the first element of its first pixel.
func (p *Plane) fillCoarse(ctx context.Context, dst array.Array, src pick.Array, g grid, plan plan) error {
	few, err := src.Select(index.Every(g.py*plan.coarse), index.Every(g.px*plan.coarse))
	if err != nil {
		return err
	}
	if err := few.Fetch(ctx); err != nil {
		return err
	}
	for i := range few.Len(0) {
		if err := ctx.Err(); err != nil {
			return err
		}
		one, err := few.Select(index.At(i))
		if err != nil {
			return err
		}
		row, err := p.numbers(one)
		if err != nil {
			return err
		}
		for k := range plan.coarse {
			if i*plan.coarse+k >= dst.Len(0) {
				break
			}
			line := dst.Index(i*plan.coarse + k)
			for j := range plan.coarse {
				if j >= line.Len(0) {
					break
				}
				part, err := line.Select(index.From(j).Every(plan.coarse))
				if err != nil {
					return err
				}
				from, err := row.Select(index.Range(0, part.Len(0)))
				if err != nil {
					return err
				}
				if err := array.Copy(part, from); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// A section is n pixels, starting at pixel first, that cover pixel elements each along an axis.
type section struct{ first, n, pixel int }

// split divides n elements into sections of equal pixels. If n is not a multiple of pixel, the last section is one
// smaller pixel.
func split(n, pixel int) []section {
	var s []section
	if whole := n / pixel; whole > 0 {
		s = append(s, section{0, whole, pixel})
	}
	if rest := n % pixel; rest > 0 {
		s = append(s, section{n / pixel, 1, rest})
	}
	return s
}

// strips divides s into sections of at most n pixels.
func (s section) strips(n int) []section {
	var parts []section
	for k := 0; k < s.n; k += n {
		parts = append(parts, section{s.first + k, min(n, s.n-k), s.pixel})
	}
	return parts
}
