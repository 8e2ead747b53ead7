package summary

import (
	"context"
	"math"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/far"
	"github.com/ndmap/ndmap/examples/view/internal/pages"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/index"
)

// A Range holds percentiles and extremes of the finite numbers. All pointers are nil if there are none.
type Range struct {
	Lo      *float64 `json:"lo"`
	Hi      *float64 `json:"hi"`
	Min     *float64 `json:"min"`
	Max     *float64 `json:"max"`
	Above0  *float64 `json:"above0"` // least positive number, where a logarithmic scale begins
	Sampled bool     `json:"sampled"`
}

// Exact is the maximum number of elements that a request reads to compute a range or a count. More elements take
// seconds.
const Exact = 64 << 20

// sampleElements is the approximate number of elements in a sample.
const sampleElements = 1 << 14

// MayReadAll reports whether a request may read all elements of a.
func MayReadAll(a pick.Array) bool { return a.Size() <= Exact && !isCostly(a) }

// isCostly reports whether elements of a are on a web server and too many to fetch them without being asked.
func isCostly(a pick.Array) bool { return a.IsFar() && isLong(a) }

// isLong reports whether the elements of a are in more than far.MaxCost blocks.
func isLong(a pick.Array) bool {
	return a.Size() > 0 && pages.Cost(pages.Dims(a.Layout()), a.ItemSize(), far.BlockBytes) > far.MaxCost
}

// sampleRuns returns the elements of about far.MaxCost runs of half a block. The runs are evenly spaced, and isLong
// must report true for a.
func sampleRuns(a pick.Array) (pick.Array, error) {
	a, err := a.Squeeze()
	if err != nil {
		return a, err
	}
	// All elements of axes that are shorter than a block are taken. The next longer axis, inner, is divided into n parts
	// of step elements, and a run is taken from the middle of each.
	shape, strides := a.Shape(), a.Strides()
	inner := -1
	for k, n := range shape {
		if n*strides[k] <= far.BlockBytes {
			shape[k] = 1
		} else if inner == -1 || strides[k] < strides[inner] {
			inner = k
		}
	}
	sel := make([]index.Selector, len(shape))
	steps := sampleSteps(shape, far.MaxCost)
	for k, step := range steps {
		if step > 1 {
			sel[k] = index.From(min(step/2, shape[k]-1)).Every(step)
		}
	}
	step := steps[inner]
	n := shape[inner] / step
	sel[inner] = index.Range(0, n*step)
	if a, err = a.Select(sel...); err != nil {
		return a, err
	}
	shape = slices.Insert(a.Shape(), inner+1, step)
	shape[inner] = n
	if a, err = a.Reshape(shape...); err != nil {
		return a, err
	}
	run := min(step, max(1, far.BlockBytes/2/strides[inner]))
	sel = slices.Repeat([]index.Selector{index.Colon}, inner+2)
	sel[inner+1] = index.Range((step-run)/2, (step+run)/2)
	return a.Select(sel...)
}

// Sample returns evenly spaced elements of a, and whether these are all elements of a.
func Sample(ctx context.Context, a pick.Array) (few pick.Array, all bool, err error) {
	if isCostly(a) {
		a, err = sampleRuns(a)
		return a, false, err
	}
	shape, strides := a.Shape(), a.Strides()
	all = true
	sel := make([]index.Selector, len(shape))
	for k, step := range sampleSteps(shape, sampleElements) {
		first := 0
		if step > 1 {
			first, all = min(step/2, shape[k]-1), false
		}
		sel[k] = index.From(first).Every(step)
		a.Offset += first * strides[k]
	}
	if a, err = a.Select(sel...); err == nil {
		pages.Fetch(ctx, a.Map, a.Offset, pages.Dims(a.Layout()), a.ItemSize())
	}
	return a, all, err
}

// Few is like Sample, but reads only about far.MaxCost runs of consecutive elements. Before the first picture, files
// that are not in memory have to be read, and disks read few runs faster than many elements.
func Few(ctx context.Context, a pick.Array) (pick.Array, error) {
	if isLong(a) {
		var err error
		if a, err = sampleRuns(a); err != nil {
			return a, err
		}
		a.Map = nil // Sample must not prefetch, because Offset does not locate the runs
	}
	few, _, err := Sample(ctx, a)
	return few, err
}

// sampleSteps returns a step for each axis of an array, such that about most elements are taken.
func sampleSteps(shape []int, most float64) []int {
	steps := make([]int, len(shape))
	for k := range steps {
		steps[k] = 1
	}
	taken := func(k int) int { return (shape[k] + steps[k] - 1) / steps[k] }
	for {
		longest, n := -1, 1.0
		for k := range shape {
			n *= float64(taken(k))
			if longest == -1 || taken(k) > taken(longest) {
				longest = k
			}
		}
		if n <= most {
			return steps
		}
		steps[longest]++
		if s := float64(taken(longest)); n > 2*most && s > 2 { // far too many elements: take larger steps
			steps[longest] = min(shape[longest], steps[longest]*2)
		}
	}
}

// RangeOf returns the range of all elements of a. lo and hi are percentiles, from 0 to 100.
func RangeOf(ctx context.Context, a pick.Array, read pick.Reading, lo, hi float64,
	progress func(float64) error) (*Range, error) {
	passes, pass := 4.0, 0.0 // approximate number of passes
	walk := func(f func(array.View[float64]) error) error {
		err := eachSlab(ctx, a, read, func(x float64) error { return progress(min(1, (pass+x)/passes)) }, f)
		pass++
		return err
	}
	s := noExtremes
	err := walk(func(v array.View[float64]) error {
		t, err := extremes(v)
		s = s.merge(t)
		return err
	})
	if err != nil || s.n == 0 {
		return &Range{}, err
	}
	e, n := s.pair, s.n
	r := &Range{Min: &e.lo, Max: &e.hi, Lo: &e.lo, Hi: &e.hi, Above0: finiteOrNil(s.above0)}
	if e.lo == e.hi || lo == 0 && hi == 100 {
		return r, nil
	}
	var q []float64
	if n == int64(a.Size()) && n <= Exact && !a.Computed(read) {
		q, err = quantiles(a.Array, lo/100, hi/100)
	} else {
		q, err = finiteQuantiles(walk, e, n, lo/100*float64(n-1), hi/100*float64(n-1))
	}
	if err != nil {
		return nil, err
	}
	r.Lo, r.Hi = &q[0], &q[1]
	return r, nil
}

// quantiles returns quantiles of the elements of a. It uses the narrowest type that represents them, because this takes
// the fewest passes.
func quantiles(a array.Array, q ...float64) ([]float64, error) {
	d := a.DType()
	isModel := d.Kind() >= dtype.KindBFloat16
	switch float, size := d.Kind() == dtype.KindFloat, d.ItemSize(); {
	case float && size == 4, isModel:
		return quantilesOf[float32](a, q)
	case float || size == 8:
		return quantilesOf[float64](a, q)
	case d.Kind() == dtype.KindUint && size == 4:
		return quantilesOf[uint32](a, q)
	}
	return quantilesOf[int32](a, q)
}

func quantilesOf[T array.Real](a array.Array, q []float64) ([]float64, error) {
	v, err := array.Cast[T](a)
	if err != nil {
		return nil, err
	}
	return array.Quantile(v, q...)
}

// maxCollected is the maximum number of elements that finiteQuantiles collects and sorts.
const maxCollected = 1 << 18

// finiteQuantiles returns quantiles of the finite numbers that walk visits. n is their number, and e holds their
// extremes. A place is a rank, from 0 to n-1, and may lie between two ranks; the result is then interpolated.
// finiteQuantiles counts the numbers in intervals of decreasing width until few enough remain to be sorted.
func finiteQuantiles(walk func(func(array.View[float64]) error) error, e pair, n int64, places ...float64) ([]float64,
	error) {
	var kept []float64 // sorted numbers of consecutive ranks, the first one being keptFrom
	var keptFrom int64
	rank := func(k int64) (float64, error) {
		if i := k - keptFrom; i >= 0 && i < int64(len(kept)) {
			return kept[i], nil
		}
		a, b, before, count := e.lo, math.Nextafter(e.hi, math.Inf(1)), int64(0), n
		for count > maxCollected && math.Nextafter(a, b) < b {
			edges := Bins{N: MaxBins, Lo: a, Hi: math.Nextafter(b, a)}.edges()
			counts := make([]int64, MaxBins+2)
			err := walk(func(v array.View[float64]) error {
				c, err := array.Histogram(v, edges)
				for i, x := range c {
					counts[i] += x
				}
				return err
			})
			if err != nil {
				return 0, err
			}
			i := 1
			for ; i < MaxBins && before+counts[i] <= k; i++ {
				before += counts[i]
			}
			a, b, count = edges[i], edges[i+1], counts[i]
			if count <= maxCollected {
				break
			}
			// Many numbers may be equal, so let the next intervals cover only the numbers that exist.
			lo, hi := b, a
			err = walk(func(v array.View[float64]) error {
				p, err := array.Reduce(v, func(block []float64) (pair, error) {
					p := pair{b, a}
					for _, x := range block {
						if x >= a && x < b {
							p.lo, p.hi = min(p.lo, x), max(p.hi, x)
						}
					}
					return p, nil
				}, func(x, y pair) pair { return pair{min(x.lo, y.lo), max(x.hi, y.hi)} })
				lo, hi = min(lo, p.lo), max(hi, p.hi)
				return err
			})
			if err != nil || lo >= hi {
				return lo, err
			}
			a, b = lo, math.Nextafter(hi, math.Inf(1))
		}
		kept, keptFrom = nil, before
		if math.Nextafter(a, b) >= b {
			return a, nil
		}
		err := walk(func(v array.View[float64]) error {
			s, err := array.Reduce(v, func(block []float64) (s []float64, err error) {
				for _, x := range block {
					if x >= a && x < b {
						s = append(s, x)
					}
				}
				return s, nil
			}, func(x, y []float64) []float64 { return append(x, y...) })
			kept = append(kept, s...)
			return err
		})
		if err != nil {
			return 0, err
		}
		slices.Sort(kept)
		if i := k - keptFrom; i < int64(len(kept)) {
			return kept[i], nil
		}
		return a, nil // another process has changed the elements in the meantime
	}
	out := make([]float64, len(places))
	for i, at := range places {
		k := min(int64(at), n-1)
		x, err := rank(k)
		if err != nil {
			return nil, err
		}
		y, err := rank(min(k+1, n-1))
		if err != nil {
			return nil, err
		}
		t := at - float64(k)
		out[i] = x*(1-t) + y*t
	}
	return out, nil
}

// An Outside counts the elements that are NaN or outside a range.
type Outside struct {
	Of      int64 `json:"of"`
	NaN     int64 `json:"nan"`
	Below   int64 `json:"below"`
	Above   int64 `json:"above"`
	Sampled bool  `json:"sampled"`
}

// OutsideOf counts the elements of a that are NaN, less than lo, and greater than hi.
func OutsideOf(ctx context.Context, a pick.Array, read pick.Reading, lo, hi float64) (o Outside, err error) {
	err = eachSlab(ctx, a, read, func(float64) error { return nil }, func(v array.View[float64]) error {
		if v.Size() == 0 {
			return nil
		}
		c, err := array.Reduce(v, func(block []float64) (c Outside, err error) {
			for _, x := range block {
				switch {
				case x != x:
					c.NaN++
				case x < lo:
					c.Below++
				case x > hi:
					c.Above++
				}
			}
			c.Of = int64(len(block))
			return c, nil
		}, Outside.add)
		o = o.add(c)
		return err
	})
	return o, err
}

func (o Outside) add(p Outside) Outside {
	return Outside{o.Of + p.Of, o.NaN + p.NaN, o.Below + p.Below, o.Above + p.Above, o.Sampled || p.Sampled}
}
