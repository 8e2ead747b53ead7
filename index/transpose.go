package index

// axisOf converts an axis to a number from 0 to n-1; a negative axis counts from the end.
func axisOf(axis, n int) (int, error) {
	k := axis
	if k < 0 {
		k += n
	}
	if uint(k) >= uint(n) {
		return 0, &BoundsError{Index: axis, Len: n, kind: badAxis}
	}
	return k, nil
}

// Transpose permutes the axes: axis k of the result is axis axes[k] of l. Without arguments it
// reverses their order.
//
// Negative axes count from the end. The error is a [*BoundsError] if an axis is out of range. It
// wraps [ErrShape] if an axis is repeated or missing. Transpose allocates at most once.
func (l Layout) Transpose(axes ...int) (Layout, error) {
	n := len(l.dims)
	if len(axes) == 0 {
		dims := make([]Dim, n)
		for k, d := range l.dims {
			dims[n-1-k] = d
		}
		return Layout{dims}, nil
	}
	if len(axes) != n {
		return Layout{}, shapeError("got " + plural(len(axes), "axis", "axes") + " for " + plural(n, "dimension",
			"dimensions"))
	}
	var seen uint64
	dims := make([]Dim, n)
	for i, axis := range axes {
		k, err := axisOf(axis, n)
		if err != nil {
			return Layout{}, err
		}
		if seen>>k&1 != 0 {
			return Layout{}, shapeError("duplicate axis " + itoa(k))
		}
		seen |= 1 << k
		dims[i] = l.dims[k]
	}
	return Layout{dims}, nil
}

// MoveAxis moves axis src to position dst of the result. The remaining axes keep their order.
//
// Negative axes count from the end. The error is a [*BoundsError] if an axis is out of range.
// MoveAxis allocates at most once.
func (l Layout) MoveAxis(src, dst int) (Layout, error) {
	n := len(l.dims)
	src, err := axisOf(src, n)
	if err != nil {
		return Layout{}, err
	}
	if dst, err = axisOf(dst, n); err != nil {
		return Layout{}, err
	}
	dims := make([]Dim, 0, n)
	for k, d := range l.dims {
		if k != src {
			dims = append(dims, d)
		}
	}
	dims = append(dims, Dim{})
	copy(dims[dst+1:], dims[dst:])
	dims[dst] = l.dims[src]
	return Layout{dims}, nil
}
