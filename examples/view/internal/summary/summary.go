// Package summary computes statistics of the numbers of an array, in passes that report their progress and can be
// stopped.
package summary

import (
	"context"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/pages"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/index"
)

// Stats holds the moments of numbers. Pointers are nil if there are no numbers.
type Stats struct {
	Count int64   `json:"count"` // without NaN
	NaN   int64   `json:"nan"`
	Min   *Number `json:"min"`
	Max   *Number `json:"max"`
	Mean  *Number `json:"mean"`
	Std   *Number `json:"std"`

	// Extremes of 64-bit integers, in decimal, and the float64 nearest to their mean; empty for other numbers.
	Least    string `json:"least,omitempty"`
	Greatest string `json:"greatest,omitempty"`
	Average  string `json:"average,omitempty"`
}

func finiteOrNil(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Moments computes the moments of all elements of a.
func Moments(ctx context.Context, a pick.Array, read pick.Reading, progress func(float64) error) (*Stats, error) {
	return moments(ctx, a, read, progress, wideStatsOf(a))
}

func moments(ctx context.Context, a pick.Array, read pick.Reading, progress func(float64) error, w *wideStats) (*Stats,
	error) {
	var m array.Moments
	err := eachPart(ctx, a, read, progress, func(part pick.Array) error {
		v, err := part.Floats(read)
		if err != nil {
			return err
		}
		m.Merge(array.MomentsOf(v))
		if w != nil {
			return w.read(part.Array)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s := &Stats{Count: m.Count, NaN: m.NaN}
	if m.Count > 0 {
		s.Min, s.Max, s.Mean, s.Std = numberPtr(m.Min), numberPtr(m.Max), numberPtr(m.Mean), numberPtr(m.Std(0))
		if w != nil {
			s.Least, s.Greatest = w.least().String(), w.greatest().String()
			mean, _ := new(big.Rat).SetFrac(w.sum(), big.NewInt(m.Count)).Float64()
			s.Average = strconv.FormatFloat(mean, 'f', -1, 64)
		}
	}
	return s, nil
}

// Bins describes the bins of a histogram: N bins of equal width from Lo to Hi. NaN stands for the least or greatest
// finite number.
type Bins struct {
	N      int
	Lo, Hi float64
}

// MaxBins is the maximum number of bins.
const MaxBins = 4096

// Check returns an error unless b is valid.
func (b Bins) Check() error {
	if b.N < 1 || b.N > MaxBins {
		return fmt.Errorf("bins=%d: want 1 to %d", b.N, MaxBins)
	}
	if b.Lo > b.Hi {
		return fmt.Errorf("lo=%v is more than hi=%v", b.Lo, b.Hi)
	}
	return nil
}

// A Counts is a histogram.
type Counts struct {
	Edges  []float64 `json:"edges"`
	Counts []int64   `json:"counts"`
	Below  int64     `json:"below"`
	Above  int64     `json:"above"`
}

// Histogram counts the elements of a in bins. As in numpy.histogram, the last bin includes its upper edge. NaN is not
// counted.
func Histogram(ctx context.Context, a pick.Array, read pick.Reading, b Bins, progress func(float64) error) (*Counts,
	error) {
	done, share := 0.0, 1.0
	report := func(x float64) error { return progress(done + share*x) }
	if math.IsNaN(b.Lo) || math.IsNaN(b.Hi) {
		share = 0.5
		lo, hi := math.Inf(1), math.Inf(-1)
		err := eachSlab(ctx, a, read, report, func(v array.View[float64]) error {
			e, err := extremes(v)
			lo, hi = min(lo, e.lo), max(hi, e.hi)
			return err
		})
		if err != nil {
			return nil, err
		}
		if lo > hi {
			lo, hi = 0, 1 // as NumPy does without elements
		}
		if math.IsNaN(b.Lo) {
			b.Lo = min(lo, nanToInf(b.Hi))
		}
		if math.IsNaN(b.Hi) {
			b.Hi = max(hi, b.Lo)
		}
		done = 0.5
	}
	edges := b.edges()
	last := b.N + 1
	edges[last] = b.Hi
	if b.Lo == b.Hi {
		edges[last] = edges[1] + 1
	}
	return Between(ctx, a, read, edges[1:last+1], report)
}

// Between counts the elements of a in the bins with the given ascending edges. Like numpy.histogram, it includes the
// last edge in the last bin.
func Between(ctx context.Context, a pick.Array, read pick.Reading, edges []float64,
	progress func(float64) error) (*Counts, error) {
	// The last bin includes the last edge, so the numbers above it begin at the next float64.
	all := slices.Concat([]float64{math.Inf(-1)}, edges, []float64{math.Inf(1)})
	last := len(edges)
	all[last] = math.Nextafter(all[last], math.Inf(1))
	counts := make([]int64, last+1)
	err := eachSlab(ctx, a, read, progress, func(v array.View[float64]) error {
		n, err := array.Histogram(v, all)
		for i, k := range n {
			counts[i] += k
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Counts{Edges: edges, Counts: counts[1:last], Below: counts[0], Above: counts[last]}, nil
}

func nanToInf(x float64) float64 {
	if math.IsNaN(x) {
		return math.Inf(1)
	}
	return x
}

// edges returns the edges of the bins, between -Inf and +Inf for the numbers below and above. The last edge is the
// float64 after Hi, so that the last bin includes Hi.
func (b Bins) edges() []float64 {
	lo, hi := b.Lo, b.Hi
	if lo == hi {
		lo, hi = lo-0.5, hi+0.5
	}
	edges := make([]float64, b.N+3)
	edges[0] = math.Inf(-1)
	for i := range b.N + 1 {
		t := float64(i) / float64(b.N)
		edges[i+1] = lo*(1-t) + hi*t // hi - lo could overflow
	}
	edges[b.N+1] = math.Nextafter(hi, math.Inf(1))
	edges[b.N+2] = math.Inf(1)
	return edges
}

type pair struct{ lo, hi float64 }

// A span holds the extremes and the count of finite numbers, and the least positive one.
type span struct {
	pair
	n      int64
	above0 float64
}

var noExtremes = span{pair{math.Inf(1), math.Inf(-1)}, 0, math.Inf(1)}

func (s span) merge(t span) span {
	return span{pair{min(s.lo, t.lo), max(s.hi, t.hi)}, s.n + t.n, min(s.above0, t.above0)}
}

func extremes(v array.View[float64]) (span, error) {
	if v.Size() == 0 {
		return noExtremes, nil
	}
	return array.Reduce(v, func(block []float64) (span, error) {
		p := noExtremes
		for _, x := range block {
			if x-x == 0 {
				p.n++
				if x < p.lo {
					p.lo = x
				}
				if x > p.hi {
					p.hi = x
				}
				if x > 0 && x < p.above0 {
					p.above0 = x
				}
			}
		}
		return p, nil
	}, span.merge)
}

// slabElements is the maximum number of elements processed between two progress reports.
const slabElements = 8 << 20

// eachSlab calls f with the elements of a as float64, slab by slab, in memory order.
func eachSlab(ctx context.Context, a pick.Array, read pick.Reading, progress func(float64) error,
	f func(array.View[float64]) error) error {
	return eachPart(ctx, a, read, progress, func(part pick.Array) error {
		v, err := part.Floats(read)
		if err != nil {
			return err
		}
		return f(v)
	})
}

// eachPart calls f with the slabs of a as arrays. It prefetches the pages of each slab first.
func eachPart(ctx context.Context, a pick.Array, read pick.Reading, progress func(float64) error,
	f func(pick.Array) error) error {
	total, done := a.Size(), 0
	slab := slabElements
	if a.IsFar() {
		slab = 1 << 20 // fetching takes longer than reading
	}
	var walk func(a pick.Array) error
	walk = func(a pick.Array) error {
		limit := slab
		if a.Computed(read) {
			limit = 1 << 20 // the elements are copied
		}
		if a.Size() <= limit {
			if err := ctx.Err(); err != nil {
				return err
			}
			pages.Fetch(ctx, a.Map, a.Offset, pages.Dims(a.Layout()), a.ItemSize())
			if err := a.Fetch(ctx); err != nil {
				return err
			}
			if err := f(a); err != nil {
				return err
			}
			done += a.Size()
			return progress(float64(done) / float64(max(total, 1)))
		}
		// Divide along the axis with the largest stride, so that slabs are consecutive in memory.
		axis := -1
		for k, n := range a.Shape() {
			if n > 1 && (axis == -1 || a.Strides()[k] > a.Strides()[axis]) {
				axis = k
			}
		}
		sel := make([]index.Selector, a.NDim())
		step := max(1, limit/(a.Size()/a.Len(axis)))
		for k := 0; k < a.Len(axis); k += step {
			sel[axis] = index.Range(k, min(k+step, a.Len(axis)))
			part, err := a.Select(sel...)
			if err != nil {
				return err
			}
			part.Offset += k * a.Strides()[axis]
			if err := walk(part); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(a)
}
