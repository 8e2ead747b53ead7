package index

import (
	"math"
	"math/rand/v2"
)

func randomShape(r *rand.Rand) []int {
	lens := []int{0, 1, 1, 2, 2, 3, 3, 4, 5, 7}
	if r.IntN(4) > 0 {
		lens = lens[1:]
	}
	shape := make([]int, r.IntN(7))
	left := 500 // maximum number of elements, because the reference is slow
	for k := range shape {
		shape[k] = lens[r.IntN(len(lens))]
		if shape[k] > left {
			shape[k] = 1
		}
		left /= max(shape[k], 1)
	}
	return shape
}

// randomLayout returns a random layout, possibly with gaps, reversed axes and overlapping elements.
func randomLayout(r *rand.Rand, itemsize int) Layout {
	shape := randomShape(r)
	order := []Order{C, F}[r.IntN(2)]
	l := must(NewLayout(shape, itemsize, order))
	if r.IntN(3) > 0 {
		return l
	}
	strides := l.Strides()
	for k := range strides {
		switch r.IntN(5) {
		case 0:
			strides[k] *= -1
		case 1:
			strides[k] *= 2
		case 2:
			strides[k] = r.IntN(41) - 20
		}
	}
	return must(Strided(shape, strides))
}

// missing denotes a missing bound or step of a slice.
const missing = math.MaxInt - 12

// sliceOf returns the selector lo:hi:step.
func sliceOf(lo, hi, step int) Selector {
	s := Range(lo, hi)
	switch {
	case lo == missing && hi == missing:
		s = Colon
	case lo == missing:
		s = To(hi)
	case hi == missing:
		s = From(lo)
	}
	if step != missing {
		s = s.Every(step)
	}
	return s
}

// randomBound returns a bound near the ends of the axis, far beyond them, or missing.
func randomBound(r *rand.Rand, n int) int {
	switch r.IntN(10) {
	case 0:
		return []int{math.MaxInt, math.MaxInt - 1, math.MinInt + 1, math.MinInt + 2, n, -n, -n - 1}[r.IntN(7)]
	case 1, 2:
		return missing
	}
	return r.IntN(2*n+5) - n - 2
}

func randomSelectors(r *rand.Rand, shape []int) []Selector {
	var sel []Selector
	dots := false
	for _, n := range shape {
		for r.IntN(6) == 0 {
			sel = append(sel, NewAxis)
		}
		switch r.IntN(8) {
		case 0:
			if !dots {
				dots = true
				sel = append(sel, Ellipsis)
				continue
			}
			sel = append(sel, Colon)
		case 1, 2:
			if n > 0 && r.IntN(30) > 0 {
				sel = append(sel, At(r.IntN(2*n)-n))
			} else {
				sel = append(sel, At(r.IntN(2*n+3)-n-1))
			}
		case 3:
			return sel
		default:
			step := randomBound(r, n)
			if step == 0 && r.IntN(10) > 0 {
				step = 2
			}
			sel = append(sel, sliceOf(randomBound(r, n), randomBound(r, n), step))
		}
	}
	for r.IntN(6) == 0 {
		sel = append(sel, NewAxis)
	}
	return sel
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
