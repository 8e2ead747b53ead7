package serve

import (
	"fmt"
	"math"

	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/examples/view/internal/plane"
	"github.com/ndmap/ndmap/index"
)

// profile responds with the elements along a straight line from (y0, x0) to (y1, x1) in a plane: for each step along
// the longer side, the element nearest to the line. The response has the format of a line along an axis.
func (r *request) profile() (answer, error) {
	var y, x, y0, x0, y1, x1 int
	var err error
	for _, p := range []struct {
		to   *int
		name string
		most int
	}{{&y, "y", index.MaxDims - 1}, {&x, "x", index.MaxDims - 1}, {&y0, "y0", math.MaxInt}, {&x0, "x0", math.MaxInt},
		{&y1, "y1", math.MaxInt}, {&x1, "x1", math.MaxInt}} {
		if *p.to, err = r.integer(p.name, 0, p.most); err != nil {
			return nil, err
		}
	}
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if err := pick.Numbers(p.field.Array); err != nil {
		return nil, err
	}
	for _, k := range []struct {
		name string
		axis int
		ends [2]int
	}{{"y", y, [2]int{y0, y1}}, {"x", x, [2]int{x0, x1}}} {
		if err := p.field.Axis(k.name, k.axis); err != nil {
			return nil, err
		}
		if n := p.field.Len(k.axis); max(k.ends[0], k.ends[1]) >= n {
			return nil, fmt.Errorf("%s0=%d, %s1=%d: want less than %d", k.name, k.ends[0], k.name, k.ends[1], n)
		}
	}
	n := max(y1-y0, y0-y1, x1-x0, x0-x1)
	if n >= plane.MaxLine {
		return nil, fmt.Errorf("the line has %d elements: want at most %d", n+1, plane.MaxLine)
	}
	a, err := p.field.Show(p.at, y, x)
	if err == nil {
		a, err = a.Part(p.read.Part)
	}
	if err != nil {
		return nil, err
	}
	if a.IsFar() {
		points := make([]pick.Array, n+1)
		for k := range points {
			y, x := roundedPoint(y0, y1, k, n), roundedPoint(x0, x1, k, n)
			if points[k], err = a.Select(index.At(y), index.At(x)); err != nil {
				return nil, err
			}
		}
		if err := pick.FetchAll(r.Context(), points...); err != nil {
			return nil, err
		}
	}
	l := &plane.Line{Flags: plane.Exact | plane.Points, Step: 1, Min: make([]float64, n+1)}
	for k := range l.Min {
		if err := r.Context().Err(); err != nil {
			return nil, err
		}
		v, err := a.At(p.read, roundedPoint(y0, y1, k, n), roundedPoint(x0, x1, k, n))
		if err != nil {
			return nil, err
		}
		l.Min[k] = v
	}
	return lineBytes(l, p.Version), nil
}

// roundedPoint returns the integer nearest to a + k·(b-a)/n. It rounds halves up.
func roundedPoint(a, b, k, n int) int {
	if n == 0 {
		return a
	}
	return a + int(math.Floor(float64(b-a)*float64(k)/float64(n)+0.5))
}
