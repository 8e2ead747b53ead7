package nd

import (
	"slices"

	"github.com/ndmap/ndmap/index"
)

// A Reduction is a part of a reduction: it reduces the elements of some plain arrays.
type Reduction struct {
	Dst       View    // the results
	Parts     []Array // the source; layouts are equal, except for lengths along axis Along-1
	First     []int   // the position of the first element of each part
	Reduced   []bool  // for each axis of the parts, whether it is reduced
	Positions []int   // for each axis of the parts, the difference between the positions of consecutive indices
	Along     int     // if not 0, the parts follow each other along axis Along-1, counted from 1
}

// EachReduction splits a reduction of the joined array v to dst into reductions of plain arrays, and calls f with each
// of them. For reduced and positions see the fields Reduced and Positions of [Reduction].
func (v View) EachReduction(dst View, reduced []bool, positions []int, f func(r *Reduction) error) error {
	if j := v.Store.Joined; j != nil && j.Starts != nil && v.memberAxis() >= 0 {
		return v.reduceAlong(dst, reduced, positions, f)
	}
	return reduceViews([]reducedView{{v, 0}}, &Reduction{Dst: dst, Reduced: reduced, Positions: positions}, f)
}

// A reducedView is a selection of the elements to reduce, and the position of its first element.
type reducedView struct {
	View
	pos int
}

// reduceViews does the work of EachReduction for views with the same layout, each of them plain or joined by Stack. r
// describes the reduction, except for Parts and First.
func reduceViews(views []reducedView, r *Reduction, f func(r *Reduction) error) error {
	axis := -1
	for _, v := range views {
		axis = max(axis, v.memberAxis())
	}
	if axis < 0 {
		for _, v := range views {
			a, _ := v.Plain()
			r.Parts, r.First = append(r.Parts, a), append(r.First, v.pos)
		}
		return f(r)
	}
	n, step, to := views[0].Layout.Len(axis), r.Positions[axis], keptAxesBefore(r.Reduced, axis)
	inner := Reduction{Dst: r.Dst, Reduced: slices.Delete(slices.Clone(r.Reduced), axis, axis+1),
		Positions: slices.Delete(slices.Clone(r.Positions), axis, axis+1)}
	var all []reducedView
	for i := range n {
		for _, v := range views {
			all = append(all, reducedView{v.AtAxis(axis, i), v.pos + i*step})
		}
		if !r.Reduced[axis] {
			part := inner
			part.Dst = r.Dst.AtAxis(to, i)
			if err := reduceViews(all, &part, f); err != nil {
				return err
			}
			all = all[:0]
		}
	}
	if !r.Reduced[axis] {
		return nil
	}
	return reduceViews(all, &inner, f)
}

// reduceAlong does the work of EachReduction for an array that Join made, whose members follow each other along an
// axis.
func (v View) reduceAlong(dst View, reduced []bool, positions []int, f func(r *Reduction) error) error {
	axis, pos := v.memberAxis(), 0
	if v.Layout.Stride(axis) < 0 && reduced[axis] {
		pos = (v.Layout.Len(axis) - 1) * positions[axis]
		positions = slices.Clone(positions)
		positions[axis] = -positions[axis]
		sel := make([]index.Selector, axis+1) // colons
		sel[axis] = index.Reverse()
		v = Must(v.Derive(v.Layout.Select(sel...)))
	}
	r, to := Reduction{Dst: dst, Reduced: reduced, Positions: positions}, keptAxesBefore(reduced, axis)
	for i := 0; i < v.Layout.Len(axis); {
		n := max(1, v.lenInMember(axis, i))
		part := Must(v.Derive(SelectRange(v.Layout, axis, i, n)))
		a, _ := part.Plain()
		r.Parts, r.First = append(r.Parts, a), append(r.First, pos+i*positions[axis])
		if !reduced[axis] {
			r.Dst = Must(dst.Derive(SelectRange(dst.Layout, to, i, n)))
			if err := f(&r); err != nil {
				return err
			}
			r.Parts, r.First = r.Parts[:0], r.First[:0]
		}
		i += n
	}
	if !reduced[axis] {
		return nil
	}
	r.Along = axis + 1
	return f(&r)
}

// keptAxesBefore returns the number of axes before the given one that are not reduced.
func keptAxesBefore(reduced []bool, axis int) (n int) {
	for _, isReduced := range reduced[:axis] {
		if !isReduced {
			n++
		}
	}
	return n
}
