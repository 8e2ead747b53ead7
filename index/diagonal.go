package index

// Diagonal returns the layout of the diagonal of the plane of axis1 and axis2, and the offset in
// bytes of its first element.
//
// The result lacks the two axes and has the diagonal as its last axis. A positive offset shifts the
// diagonal towards the end of axis2, a negative offset towards the end of axis1. Layout and offset
// are the same as in NumPy, even for an empty diagonal. Negative axes count from the end.
//
// The error is a [*BoundsError] if an axis is out of range. It wraps [ErrShape] if l has fewer than
// two dimensions or the axes are equal. Diagonal allocates once.
func (l Layout) Diagonal(offset, axis1, axis2 int) (Layout, int, error) {
	n := len(l.dims)
	if n < 2 {
		return Layout{}, 0, shapeError("diagonal of " + plural(n, "dimension", "dimensions") + ", want at least 2")
	}
	axis1, err := axisOf(axis1, n)
	if err != nil {
		return Layout{}, 0, err
	}
	if axis2, err = axisOf(axis2, n); err != nil {
		return Layout{}, 0, err
	}
	if axis1 == axis2 {
		return Layout{}, 0, shapeError("duplicate axis " + itoa(axis1))
	}
	d1, d2 := l.dims[axis1], l.dims[axis2]
	shift := 0 // in bytes; past the end it may overflow, and is not used
	if offset >= 0 {
		shift = offset * d2.Stride
		d2.Len -= offset
	} else {
		shift = -offset * d1.Stride
		d1.Len += offset
	}
	diag := Dim{min(d1.Len, d2.Len), d1.Stride + d2.Stride}
	if diag.Len < 0 {
		diag.Len, shift = 0, 0
	}
	dims := make([]Dim, 0, n-1)
	for k, d := range l.dims {
		if k != axis1 && k != axis2 {
			dims = append(dims, d)
		}
	}
	return Layout{append(dims, diag)}, shift, nil
}
