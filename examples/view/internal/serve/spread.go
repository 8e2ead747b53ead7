package serve

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/examples/view/internal/summary"
)

// maxEdges is the maximum number of edges of histogram bins in a request.
const maxEdges = 257

// edges returns the parameter edges, the edges of histogram bins. They must be finite and ascending.
func (r *request) edges() ([]float64, error) {
	texts := strings.Split(r.q.Get("edges"), ",")
	if len(texts) < 2 || len(texts) > maxEdges {
		return nil, fmt.Errorf("edges has %d numbers: want 2 to %d", len(texts), maxEdges)
	}
	edges := make([]float64, len(texts))
	for i, s := range texts {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, fmt.Errorf("edges: %s: want a finite number", clip(s))
		}
		if edges[i] = x; i > 0 && x <= edges[i-1] {
			return nil, fmt.Errorf("edges: %v after %v: want ascending edges", x, edges[i-1])
		}
	}
	return edges, nil
}

// selectedElements returns the elements that the request selects: with x0, the part of the plane from x0 to x1 and
// from y0 to y1; with all=1, the whole array; otherwise, the plane that is shown. Without exact=1 it returns a
// sample. all reports whether all elements are returned. With exact=1, more than summary.Exact elements are an error,
// and too many elements on a web server a sample.
func (r *request) selectedElements(p *pickedField) (a pick.Array, all bool, err error) {
	exact, err := r.flag("exact")
	if err != nil {
		return a, false, err
	}
	if r.q.Has("x0") {
		s, err := r.parseShown()
		if err != nil {
			return a, false, err
		}
		if err := pick.Numbers(p.field.Array); err != nil {
			return a, false, err
		}
		if a, err = s.selectFrom(p); err == nil {
			a, err = a.Part(p.read.Part)
		}
		if err != nil {
			return a, false, err
		}
	} else if a, err = r.rangeElements(p); err != nil {
		return a, false, err
	}
	if exact && a.Size() > summary.Exact {
		return a, false, fmt.Errorf("exact=1: %d elements: want at most %d; start a job for more", a.Size(), summary.Exact)
	}
	if exact && summary.MayReadAll(a) {
		return a, true, nil
	}
	return summary.Sample(r.Context(), a)
}

// histogram responds with the number of selected elements in each bin.
func (r *request) histogram() (answer, error) {
	edges, err := r.edges()
	if err != nil {
		return nil, err
	}
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	a, all, err := r.selectedElements(p)
	if err != nil {
		return nil, err
	}
	c, err := summary.Between(r.Context(), a, p.read, edges, func(float64) error { return nil })
	if err != nil {
		return nil, err
	}
	return struct {
		*summary.Counts
		Sampled bool `json:"sampled"`
	}{c, !all}, nil
}

// values responds with the distinct integers among the selected elements and their counts, unless there are too many.
func (r *request) values() (answer, error) {
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if d := p.field.DType(); !summary.Whole(d) {
		return nil, fmt.Errorf("values: the elements have dtype %.100v; want integers or bools", d)
	}
	a, all, err := r.selectedElements(p)
	if err != nil {
		return nil, err
	}
	values, counts, err := summary.Distinct(r.Context(), a, p.read)
	if err != nil {
		return nil, err
	}
	return struct {
		Values  []float64 `json:"values"` // null if more than summary.MaxDistinct are distinct
		Counts  []int64   `json:"counts"`
		Sampled bool      `json:"sampled"`
	}{values, counts, !all}, nil
}
