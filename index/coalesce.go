package index

import (
	"cmp"
	"math/bits"
	"slices"
)

// Coalesce returns the layout with the fewest axes that visits the same
// offsets in the same C order: it drops axes of length 1 and merges adjacent
// axes that together are one run. A contiguous layout ends with one axis, a
// single element with none. Without elements the result is one axis of length
// 0 and stride 0. It allocates at most once.
func (l Layout) Coalesce() Layout {
	ls := [1]Layout{l}
	coalesce(ls[:])
	return ls[0]
}

// CoalesceAll does what [Layout.Coalesce] does for several layouts of one shape
// at once: it drops and merges the axes where all of them allow it, so that the
// results have one shape again. That is what a copy between them has to walk.
// The results are in a new slice; it allocates at most twice. The error, which
// wraps [ErrShape], refuses layouts whose shapes differ.
func CoalesceAll(ls ...Layout) ([]Layout, error) {
	if err := sameShape(ls); err != nil {
		return nil, err
	}
	merged := make([]Layout, len(ls))
	copy(merged, ls)
	coalesce(merged)
	return merged, nil
}

// coalesce puts the merged layouts in place of those in ls, all of one shape.
func coalesce(ls []Layout) {
	if len(ls) == 0 || len(ls[0].dims) == 0 {
		return
	}
	first := ls[0]
	if first.empty() {
		dims := make([]Dim, 1)
		for i := range ls {
			ls[i] = Layout{dims}
		}
		return
	}
	// A bit for each axis that starts a run; none for those that continue the
	// run before them and for those of length 1.
	var starts, merged uint64
	last := -1
	for k, d := range first.dims {
		if d.Len == 1 {
			continue
		}
		if last >= 0 && mergeAll(ls, last, k) {
			merged |= 1 << k
		} else {
			starts |= 1 << k
		}
		last = k
	}
	n := bits.OnesCount64(starts)
	all := make([]Dim, 0, n*len(ls))
	for i, l := range ls {
		from := len(all)
		for k, d := range l.dims {
			switch {
			case starts>>k&1 != 0:
				all = append(all, d)
			case merged>>k&1 != 0:
				run := &all[len(all)-1]
				*run = Dim{run.Len * d.Len, d.Stride}
			}
		}
		ls[i] = Layout{all[from:len(all):len(all)]}
	}
}

// mergeAll reports whether axes j and k, adjacent but for ones, are one run in
// every layout.
func mergeAll(ls []Layout, j, k int) bool {
	for _, l := range ls {
		if !merges(l.dims[j], l.dims[k]) {
			return false
		}
	}
	return true
}

// SortByStride permutes the axes of several layouts of one shape alike, so that
// the strides of the first one fall from axis to axis, whatever their sign;
// where they are equal those of the next layout decide, and at last the order
// the axes had. Walking the results in C order then visits the memory of the
// first layout in order, which is order K. The results are in a new slice; it
// allocates at most twice. The error, which wraps [ErrShape], refuses layouts
// whose shapes differ.
func SortByStride(ls ...Layout) ([]Layout, error) {
	if err := sameShape(ls); err != nil {
		return nil, err
	}
	if len(ls) == 0 {
		return nil, nil
	}
	var buf [MaxDims]int
	axes := sortedAxes(buf[:0], ls)
	all := make([]Dim, 0, len(axes)*len(ls))
	sorted := make([]Layout, len(ls))
	for i, l := range ls {
		from := len(all)
		for _, k := range axes {
			all = append(all, l.dims[k])
		}
		sorted[i] = Layout{all[from:len(all):len(all)]}
	}
	return sorted, nil
}

// sortedAxes appends the axes in the order of SortByStride.
func sortedAxes(axes []int, ls []Layout) []int {
	for k := range ls[0].dims {
		axes = append(axes, k)
	}
	slices.SortStableFunc(axes, func(j, k int) int {
		for _, l := range ls {
			if c := cmp.Compare(abs(l.dims[k].Stride), abs(l.dims[j].Stride)); c != 0 {
				return c
			}
		}
		return 0
	})
	return axes
}

// sameShape checks that the layouts have one shape.
func sameShape(ls []Layout) error {
	for _, l := range ls {
		if !l.SameShape(ls[0]) {
			return shapeError("shapes " + tuple(ls[0].Shape()) + " and " + tuple(l.Shape()) + " differ")
		}
	}
	return nil
}
