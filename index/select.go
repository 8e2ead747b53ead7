package index

import "errors"

// Select applies NumPy's basic indexing, a[sel[0], sel[1], ...]. It returns the layout of the
// selected elements and the offset in bytes of its first element.
//
// Axes without a selector are taken whole. Shape, strides and offset are exactly the same as in
// NumPy, even for empty results, whose offset may lie outside [Layout.Bounds].
//
// The error is a [*BoundsError] if an index is out of range. It wraps [ErrShape] if sel has more
// selectors than l has axes, or if the result has more than [MaxDims] axes. A step of zero and a
// second [Ellipsis] are other errors.
//
// Select allocates at most once, and not at all if it only takes leading axes at an index.
func (l Layout) Select(sel ...Selector) (Layout, int, error) {
	rest, ndim, err := l.countAxes(sel)
	if err != nil {
		return Layout{}, 0, err
	}
	off, axis := 0, 0
	for len(sel) > 0 && sel[0].kind == takeAt {
		i, err := sel[0].at(axis, l.dims[axis].Len)
		if err != nil {
			return Layout{}, 0, err
		}
		off += i * l.dims[axis].Stride
		axis++
		sel = sel[1:]
	}
	if selectsAll(sel) {
		return Layout{l.dims[axis:]}, off, nil
	}
	dims := make([]Dim, 0, ndim)
	for _, s := range sel {
		switch s.kind {
		case ellipsis:
			dims = append(dims, l.dims[axis:axis+rest]...)
			axis += rest
			continue
		case newAxis:
			dims = append(dims, Dim{1, 0})
			continue
		}
		d := l.dims[axis]
		switch s.kind {
		case takeAll:
			dims = append(dims, d)
		case takeAt:
			i, err := s.at(axis, d.Len)
			if err != nil {
				return Layout{}, 0, err
			}
			off += i * d.Stride
		default:
			if s.step == 0 {
				return Layout{}, 0, errors.New("slice step is zero for axis " + itoa(axis))
			}
			start, count, step := s.slice(d.Len)
			if count == 0 { // NumPy leaves the offset unchanged
				start, step = 0, 1
			}
			off += start * d.Stride
			// A step past the end of the axis may overflow here, as in NumPy.
			// The axis then has length 1, and its stride is never used.
			dims = append(dims, Dim{count, d.Stride * step})
		}
		axis++
	}
	return Layout{append(dims, l.dims[axis:]...)}, off, nil
}

// countAxes checks that the selectors match the number of axes. It returns the number of axes that an
// Ellipsis covers, and the number of axes of the result.
func (l Layout) countAxes(sel []Selector) (rest, ndim int, err error) {
	used, dots := 0, 0
	for _, s := range sel {
		switch s.kind {
		case ellipsis:
			dots++
		case newAxis:
			ndim++
		case takeAt:
			used++
		default:
			used++
			ndim++
		}
	}
	rest = len(l.dims) - used
	ndim += rest
	switch {
	case dots > 1:
		err = errors.New("selection has " + itoa(dots) + " ellipses, want at most one")
	case rest < 0:
		err = shapeError("got " + plural(used, "index", "indices") + " for " + plural(len(l.dims), "dimension", "dimensions"))
	case ndim > MaxDims:
		err = shapeError("selection has " + itoa(ndim) + " dimensions, want at most 64")
	}
	return rest, ndim, err
}

// selectsAll reports whether the selectors take all elements without changing the layout.
func selectsAll(sel []Selector) bool {
	for _, s := range sel {
		if s.kind != takeAll && s.kind != ellipsis {
			return false
		}
	}
	return true
}
