package array

import (
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/reduce"
)

// Quantile returns the quantiles of the elements of v for qs, which are numbers from 0 to 1: 0.5 is the median. The
// results are exact. They are interpolated as numpy.quantile does by default, with the same rounding. If an element is
// NaN, all quantiles are NaN. Next to infinities, a quantile is an element, or the weighted mean of two elements, where
// NumPy may return NaN.
//
// A q out of range is an error. If v has no elements, the error wraps [ErrShape]. It is an error, too, if elements
// change during the call.
//
// For a few qs, Quantile goes through v up to 5 times, and uses 2 MiB of memory for each goroutine. To report progress
// and to cancel the work, use [Config.Quantile].
func Quantile[T Real](v View[T], qs ...float64) ([]float64, error) { return quantiles(v.view, qs, nil) }

// Quantile is the function [Quantile] for an array of any real numbers, with cfg.Progress. done and total count the
// bytes that are read: total is for the most passes that the dtype may need. If fewer passes are enough, the last call
// has done equal to total all the same. The error wraps [ErrDType] if a does not have real numbers.
func (cfg Config) Quantile(a Array, qs ...float64) ([]float64, error) {
	c, p, err := cfg.reals(a, "Quantile")
	if err != nil {
		return nil, err
	}
	return quantiles(c, qs, p)
}

func quantiles(c nd.View, qs []float64, report *progress) ([]float64, error) {
	name := nd.Prefix(c.MustBeSet().Mem.Path)
	for _, q := range qs {
		if !(q >= 0 && q <= 1) {
			return nil, fmt.Errorf("%sa quantile for %v; want 0 to 1", name, q)
		}
	}
	n := c.Size()
	if n == 0 {
		return nil, fmt.Errorf("%s%w: no elements, so no quantile", name, ErrShape)
	}
	var ranks []int // of the elements to select
	for _, q := range qs {
		i, j, _ := reduce.Between(n, q)
		ranks = append(ranks, i, j)
	}
	slices.Sort(ranks)
	ranks = slices.Compact(ranks)
	if err := report.begin(c, 1+max(1, 8*c.Store.Size/reduce.TallyBits)); err != nil {
		return nil, err
	}
	values, _, err := reduce.SelectRanks(c, func(int) []int { return ranks }, false, report.adder())
	if err != nil {
		return nil, fmt.Errorf("%s%w", name, err)
	}
	if err := report.end(); err != nil {
		return nil, err
	}
	results, keys := make([]float64, len(qs)), reduce.KeysOf(c.Store.Value)
	for k, q := range qs {
		if results[k] = math.NaN(); values != nil {
			i, j, t := reduce.Between(n, q)
			a, _ := slices.BinarySearch(ranks, i)
			b, _ := slices.BinarySearch(ranks, j)
			results[k] = keys.Interpolate(values[a], values[b], t)
		}
	}
	return results, nil
}

// longRow is the maximum number of bytes that are gathered for one median or quantile. For more numbers, passes count
// their bits instead. Tests lower it.
var longRow = 16 << 20

// longRows sets each element of dst to the median or quantile of the numbers of src along the axes that are reduced.
func (p *reducer) longRows(dst, src nd.View, reduced []bool) error {
	if axis := slices.Index(reduced, false); axis >= 0 {
		rest := slices.Delete(slices.Clone(reduced), axis, axis+1)
		for i := range src.Layout.Len(axis) {
			if err := p.longRows(dst.AtAxis(0, i), src.AtAxis(axis, i), rest); err != nil {
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
	var t float64
	values, _, err := reduce.SelectRanks(src, func(n int) []int {
		lo, hi := 0, 0
		lo, hi, t = p.job.Ranks(n)
		return []int{lo, hi}
	}, p.job.SkipNaN, report)
	if err != nil {
		return err
	}
	x := math.NaN()
	if values != nil {
		keys := reduce.KeysOf(number)
		x = keys.Of(p.job.Op, values[0], values[1], t)
	}
	if report != nil {
		if err := p.job.Progress(left); err != nil {
			return err
		}
	}
	result, err := newResult(dtype.Float64, dst.Shape())
	if err != nil {
		return err
	}
	nd.Must(As[float64](result)).Fill(x)
	return nd.Copy(dst, result.view)
}

// Histogram counts the elements of v between edges, as numpy.histogram(a, bins=edges) does. counts[i] is the number of
// elements from edges[i] up to, but not including, edges[i+1]. The last bin includes its upper edge, too. Integers are
// compared as float64. Elements beyond the edges, and NaN, are not counted.
//
// Edges must ascend. They may be equal, or infinite. Fewer than two edges, an edge that is less than the one before it,
// and NaN are errors. To report progress and to cancel the work, use [Config.Histogram].
func Histogram[T Real](v View[T], edges []float64) (counts []int64, err error) {
	return histogram(v.view, edges, nil)
}

// Histogram is the function [Histogram] for an array of any real numbers, with cfg.Progress. done and total count bytes
// of a. The error wraps [ErrDType] if a does not have real numbers.
func (cfg Config) Histogram(a Array, edges []float64) (counts []int64, err error) {
	c, p, err := cfg.reals(a, "Histogram")
	if err != nil {
		return nil, err
	}
	return histogram(c, edges, p)
}

func histogram(c nd.View, edges []float64, report *progress) (counts []int64, err error) {
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
	if elem.IsNarrow(c.Store.Value) {
		c = nd.Must(c.Converted(dtype.Float32))
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
