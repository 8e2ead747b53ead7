package index

// Squeeze drops the given axes, each of which must have length 1; without axes
// it drops all that have. Negative axes count from the end. It allocates at
// most once. The errors are [*BoundsError] for an axis out of range, and one
// that wraps [ErrShape] for a repeated axis or another length.
func (l Layout) Squeeze(axes ...int) (Layout, error) {
	n := len(l.dims)
	var drop uint64
	for _, axis := range axes {
		k, err := axisOf(axis, n)
		if err != nil {
			return Layout{}, err
		}
		if drop>>k&1 != 0 {
			return Layout{}, shapeError("axis " + itoa(k) + " is repeated")
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

// ExpandDims adds an axis of length 1 and stride 0, as [NewAxis] does, which becomes the axis
// of that number of the result; -1 is the last. It allocates once. The errors are
// [*BoundsError] for an axis out of range, and one that wraps [ErrShape] for more than
// [MaxDims] dimensions.
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
