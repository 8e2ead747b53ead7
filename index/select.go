package index

import "errors"

// Select applies NumPy's basic indexing, a[sel[0], sel[1], ...]: it returns the
// layout of the elements selected and the offset in bytes of its first one.
// Axes that no selector names are taken whole. Select allocates at most once.
//
// Shape, strides and offset are exactly NumPy's. That holds for empty results
// too, whose offset may lie outside [Layout.Bounds]: without elements there is
// nothing at it. The errors are [*BoundsError] for an index out of range, an
// error that wraps [ErrShape] for more selectors than axes and for more than
// [MaxDims] axes in the result, and others for a step of zero and for more
// than one Ellipsis.
func (l Layout) Select(sel ...Selector) (Layout, int, error) {
	used, ndim, dots := 0, 0, 0 // axes of l named, axes of the result named
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
	if dots > 1 {
		return Layout{}, 0, errors.New("selection has " + itoa(dots) + " ellipses, want at most one")
	}
	if used > len(l.dims) {
		return Layout{}, 0, shapeError("got " + plural(used, "index", "indices") + " for " + plural(len(l.dims), "dimension", "dimensions"))
	}
	rest := len(l.dims) - used
	ndim += rest
	if ndim > MaxDims {
		return Layout{}, 0, shapeError("selection has " + itoa(ndim) + " dimensions, at most 64 are possible")
	}
	dims := make([]Dim, 0, ndim)
	off, axis := 0, 0
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
			i := s.lo
			if i < 0 {
				i += d.Len
			}
			if uint(i) >= uint(d.Len) {
				return Layout{}, 0, &BoundsError{Axis: axis, Index: s.lo, Len: d.Len}
			}
			off += i * d.Stride
		default:
			if s.step == 0 {
				return Layout{}, 0, errors.New("slice step is zero for axis " + itoa(axis))
			}
			start, count, step := s.slice(d.Len)
			if count == 0 { // NumPy stays at the first element then
				start, step = 0, 1
			}
			off += start * d.Stride
			dims = append(dims, Dim{count, d.Stride * step})
		}
		axis++
	}
	return Layout{append(dims, l.dims[axis:]...)}, off, nil
}
