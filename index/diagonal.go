package index

// Diagonal takes the diagonal of the plane of axis1 and axis2, shifted towards
// the end of axis2 by offset or, if it is negative, towards the end of axis1.
// It returns the layout without the two axes and with the diagonal as its last
// axis, and the offset in bytes of its first element; both are NumPy's, also
// where the diagonal is empty. Negative axes count from the end. It allocates
// once. The errors are [*BoundsError] for an axis out of range, and one that
// wraps [ErrShape] for fewer than two dimensions or twice the same axis.
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
		return Layout{}, 0, shapeError("axis " + itoa(axis1) + " is repeated")
	}
	d1, d2 := l.dims[axis1], l.dims[axis2]
	shift := 0 // in bytes; unused, and then perhaps overflowing, if past the end
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
