package index

// Squeeze returns l without the given axes, which must have length 1. Without arguments it drops
// all axes of length 1.
//
// Negative axes count from the end. The error is a [*BoundsError] if an axis is out of range. It
// wraps [ErrShape] if an axis is repeated or has another length. Squeeze allocates at most once.
func (l Layout) Squeeze(axes ...int) (Layout, error) {
	n := len(l.dims)
	var drop uint64
	for _, axis := range axes {
		k, err := axisOf(axis, n)
		if err != nil {
			return Layout{}, err
		}
		if drop>>k&1 != 0 {
			return Layout{}, shapeError("duplicate axis " + itoa(k))
		}
		if l.dims[k].Len != 1 {
			return Layout{},
				shapeError("cannot squeeze axis " + itoa(k) + " with length " + itoa(l.dims[k].Len) + ", want length 1")
		}
		drop |= 1 << k
	}
	dims := make([]Dim, 0, n)
	for k, d := range l.dims {
		if drop>>k&1 == 0 && (len(axes) > 0 || d.Len != 1) {
			dims = append(dims, d)
		}
	}
	return Layout{dims}, nil
}

// ExpandDims returns l with a new axis of length 1 and stride 0, as [NewAxis] adds it, at the
// given position of the result. Position -1 is the last.
//
// The error is a [*BoundsError] if the axis is out of range. It wraps [ErrShape] if the result has
// more than [MaxDims] dimensions. ExpandDims allocates once.
func (l Layout) ExpandDims(axis int) (Layout, error) {
	n := len(l.dims) + 1
	k, err := axisOf(axis, n)
	if err != nil {
		return Layout{}, err
	}
	if n > MaxDims {
		return Layout{}, shapeError("shape has 65 dimensions, want at most 64")
	}
	dims := make([]Dim, n)
	copy(dims, l.dims[:k])
	dims[k] = Dim{1, 0}
	copy(dims[k+1:], l.dims[k:])
	return Layout{dims}, nil
}
