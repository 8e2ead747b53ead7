package array

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/reduce"
)

// Histogram counts the elements of v between edges, which must not descend, as numpy.histogram(a, bins=edges):
// counts[i] is the number of elements from edges[i] to less than edges[i+1], of the last bin also of those that equal
// the last edge. Integers are compared as float64. Elements beyond the edges, and NaN, are not counted. Edges may be
// infinite or equal. The error is for fewer than two, for a descending one, and for NaN. [Config.Histogram] can be
// called off.
func Histogram[T Real](v View[T], edges []float64) (counts []int64, err error) {
	return histogram(v.view, edges, nil)
}

// Histogram is the function [Histogram] for any real numbers, with cfg.Progress, in bytes of a.
func (cfg Config) Histogram(a Array, edges []float64) (counts []int64, err error) {
	c, p, err := cfg.reals(a, forHistogram)
	if err != nil {
		return nil, err
	}
	return histogram(c, edges, p)
}

func histogram(c nd.Array, edges []float64, report *progress) (counts []int64, err error) {
	name := nd.Prefix(c.MustBeSet().Mem.Path)
	if len(edges) < 2 {
		return nil, fmt.Errorf("%sa histogram of %d edges; want at least 2", name, len(edges))
	}
	for i, e := range edges {
		if e != e {
			return nil, fmt.Errorf("%sedge %d of the histogram is NaN", name, i)
		}
		if i > 0 && e < edges[i-1] {
			return nil, fmt.Errorf("%sedge %d of the histogram is %v, less than the one before; sort them", name, i, e)
		}
	}
	if isNarrow(c.Store.Value) {
		c = nd.Must(c.Retype(func(c nd.Array) (nd.Array, error) { return c.Converted(dtype.Float32) }))
	}
	if err := report.begin(c, 1); err != nil {
		return nil, err
	}
	counts, err = reduce.CountBetween(c, edges, report.adder())
	if err == nil {
		err = report.end()
	}
	if err != nil {
		return nil, err
	}
	return counts, nil
}
