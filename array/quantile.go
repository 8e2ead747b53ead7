package array

import (
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/reduce"
	"github.com/ndmap/ndmap/internal/strided"
)

// Quantile returns the quantiles of the elements of v for qs, which are numbers from 0 to 1: 0.5 is the median. They
// are exact, and interpolated as numpy.quantile does by default, with the same rounding. If an element is NaN, all
// quantiles are NaN. A q out of range, and elements that change during the call, are errors; if v has no elements, the
// error wraps [ErrShape]. For a few qs, Quantile reads v up to 5 times. For progress, and along axes, use a [Reduction]
// with OpQuantile.
func Quantile[T Real](v View[T], qs ...float64) ([]float64, error) {
	c := v.view
	name := nd.Prefix(c.MustBeSet().Mem.Path)
	if slices.ContainsFunc(qs, isInvalidQuantile) {
		return nil, quantileError(name, qs)
	}
	n := c.Size()
	if n == 0 {
		return nil, fmt.Errorf("%s%w: quantiles of no elements are undefined", name, ErrShape)
	}
	job := reduce.Job{Op: reduce.Quantile, Qs: qs}
	places := job.Places(nil, n)
	ranks := reduce.RanksOf(nil, places) // of the elements to select
	values, _, err := reduce.SelectRanks(c, func(int) []int { return ranks }, false, nil)
	if err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	return job.Results(c.Store.Value, places, ranks, values), nil
}

func isInvalidQuantile(q float64) bool { return !(q >= 0 && q <= 1) }

// quantileError returns the error for the first number of qs that is out of range.
func quantileError(path string, qs []float64) error {
	return fmt.Errorf("%squantile %v out of range; want 0 to 1", path, qs[slices.IndexFunc(qs, isInvalidQuantile)])
}

// longRow is the maximum number of bytes that are gathered in memory for one median or quantile. For more bytes,
// reduce.SelectRanks selects the result in several passes over the numbers without gathering them all. Tests lower it.
var longRow = 16 << 20

// reduceLongRows sets the elements of dst to the medians or quantiles of the numbers of src along the axes that are
// reduced.
func (p *reducer) reduceLongRows(dst, src nd.View, reduced []bool) error {
	if axis := slices.Index(reduced, false); axis >= 0 {
		rest := slices.Delete(slices.Clone(reduced), axis, axis+1)
		for i := range src.Layout.Len(axis) {
			if err := p.reduceLongRows(dst.AtAxis(0, i), src.AtAxis(axis, i), rest); err != nil {
				return err
			}
		}
		return nil
	}
	number := p.have.WithByteOrder(dtype.Native)
	src, err := src.WithGoType(number, number.ItemSize())
	if err != nil {
		return err
	}
	report := p.job.Progress
	left := src.NBytes()
	if report != nil {
		passes := 1 + number.ItemSize()/2 // the maximum
		report = func(n int) error {
			n /= passes
			left -= n
			return p.job.Progress(n)
		}
	}
	places, ranks := p.job.Places(nil, src.Size()), []int(nil)
	values, _, err := reduce.SelectRanks(src, func(n int) []int {
		places = p.job.Places(nil, n)
		ranks = reduce.RanksOf(nil, places)
		return ranks
	}, p.job.SkipNaN, report)
	if err != nil {
		return err
	}
	results := p.job.Results(number, places, ranks, values)
	if report != nil {
		if err := p.job.Progress(left); err != nil {
			return err
		}
	}
	result, err := FromBytes(strided.Bytes(results), dtype.Float64, index.C, dst.Shape()...)
	if err != nil {
		return err
	}
	return nd.Copy(dst, result.view)
}

// Histogram counts the elements of v between edges, as numpy.histogram(a, bins=edges) does. counts[i] is the number of
// elements x with edges[i] <= x < edges[i+1]; the last bin includes its upper edge, too. Integers are compared as
// float64. Elements beyond the edges, and NaN, are not counted. Fewer than two edges, and edges that descend or are
// NaN, are errors.
func Histogram[T Real](v View[T], edges []float64) (counts []int64, err error) {
	c := v.view
	name := nd.Prefix(c.MustBeSet().Mem.Path)
	if len(edges) < 2 {
		return nil, fmt.Errorf("%s%d histogram edges; want at least 2", name, len(edges))
	}
	for i, e := range edges {
		if e != e {
			return nil, fmt.Errorf("%sedge %d of the histogram is NaN", name, i)
		}
		if i > 0 && e < edges[i-1] {
			return nil, fmt.Errorf("%sedge %d of the histogram is %v, less than the edge before it; sort the edges", name, i, e)
		}
	}
	if elem.IsNarrow(c.Store.Value) {
		c = nd.Must(c.Converted(dtype.Float32))
	}
	return reduce.CountBetween(c, edges)
}
