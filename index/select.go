package index

import "errors"

// Select applies NumPy's basic indexing, a[sel[0], sel[1], ...]: it returns the
// layout of the elements selected and the offset in bytes of its first one.
// Axes that no selector names are taken whole. It allocates at most once, and
// not at all to take leading axes at an index.
//
// Shape, strides and offset are exactly NumPy's. That holds for empty results
// too, whose offset may lie outside [Layout.Bounds]: without elements there is
// nothing at it. The errors are a [*BoundsError] for an index out of range, one
// that wraps [ErrShape] for more selectors than axes and for more than [MaxDims]
// axes in the result, and others for a step of zero and for a second Ellipsis.
func (l Layout) Select(sel ...Selector) (Layout, int, error) {
	rest, ndim, err := l.fit(sel)
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
	if whole(sel) {
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
			if count == 0 { // then NumPy stays where it is
				start, step = 0, 1
			}
			off += start * d.Stride
			// A step past the end of the axis may overflow here, as it does
			// in NumPy; the stride is then one that is never used.
			dims = append(dims, Dim{count, d.Stride * step})
		}
		axis++
	}
	return Layout{append(dims, l.dims[axis:]...)}, off, nil
}

// fit checks that the selectors suit the number of axes. It returns how many
// axes are left for an Ellipsis and how many there are in the result.
func (l Layout) fit(sel []Selector) (rest, ndim int, err error) {
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

// whole reports whether the selectors take all there is, as it is.
func whole(sel []Selector) bool {
	for _, s := range sel {
		if s.kind != takeAll && s.kind != ellipsis {
			return false
		}
	}
	return true
}
