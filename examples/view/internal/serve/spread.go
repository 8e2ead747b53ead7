package serve

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/examples/view/internal/summary"
)

// maxEdges is how many edges the bins of a histogram may have in a request.
const maxEdges = 257

// edges returns the edges of the bins of a histogram, which ascend.
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
			return nil, fmt.Errorf("edges: %v after %v: want them to ascend", x, edges[i-1])
		}
	}
	return edges, nil
}

// some returns what the request is about: the part y0 to y1 and x0 to x1 of the plane it shows, that plane, or with
// all=1 the whole array. Of more than summary.Exact elements, or without exact=1, it is a sample.
func (r *request) some(p *picked) (a pick.Array, all bool, err error) {
	exact, err := r.flag("exact")
	if err != nil {
		return a, false, err
	}
	if r.q.Has("x0") {
		s, err := r.shown()
		if err != nil {
			return a, false, err
		}
		if err := pick.Numbers(p.field.Array); err != nil {
			return a, false, err
		}
		if a, err = s.of(p); err == nil {
			a, err = a.Part(p.read.Part)
		}
		if err != nil {
			return a, false, err
		}
	} else if a, err = r.all(p); err != nil {
		return a, false, err
	}
	if exact && a.Size() > summary.Exact {
		return a, false, fmt.Errorf("exact=1: there are %d elements, and more than %d are for a job", a.Size(), summary.Exact)
	}
	if exact {
		return a, true, nil
	}
	return summary.Sample(r.Context(), a)
}

// histogram answers with counts between edges.
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
	a, all, err := r.some(p)
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

// values answers with the different integers among the elements, if they are few.
func (r *request) values() (answer, error) {
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	if d := p.field.DType(); !summary.Whole(d) {
		return nil, errors.New("values: want integers")
	}
	a, all, err := r.some(p)
	if err != nil {
		return nil, err
	}
	v, err := summary.Distinct(r.Context(), a, p.read)
	if err != nil {
		return nil, err
	}
	return struct {
		Values  []float64 `json:"values"` // null where there are more than 20
		Sampled bool      `json:"sampled"`
	}{v, !all}, nil
}
