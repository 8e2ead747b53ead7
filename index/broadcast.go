package index

// Broadcast returns l stretched to the shape by NumPy's rule.
//
// The shapes are aligned at the last axis, and each length of l must be 1 or equal the length in
// shape. Missing axes are added in front. Added axes, and all axes of length 1 in l, have stride 0,
// so a walk visits their elements repeatedly.
//
// The error wraps [ErrShape] if l does not fit the shape, or if [Size] refuses the shape for
// one-byte items. Broadcast allocates at most once.
func (l Layout) Broadcast(shape ...int) (Layout, error) {
	if _, _, err := Size(shape, 1); err != nil {
		return Layout{}, err
	}
	add := len(shape) - len(l.dims)
	if add < 0 {
		return Layout{}, shapeError("cannot broadcast " + tuple(l.Shape()) + " to " + tuple(shape) +
			": got " + plural(len(shape), "dimension", "dimensions") + ", want at least " + itoa(len(l.dims)))
	}
	dims := make([]Dim, len(shape))
	for k, n := range shape {
		dims[k].Len = n
		if k < add {
			continue
		}
		switch d := l.dims[k-add]; d.Len {
		case 1:
		case n:
			dims[k].Stride = d.Stride
		default:
			return Layout{}, shapeError("cannot broadcast " + tuple(l.Shape()) + " to " + tuple(shape) +
				": axis " + itoa(k-add) + " has length " + itoa(d.Len) + ", want 1 or " + itoa(n))
		}
	}
	return Layout{dims}, nil
}
