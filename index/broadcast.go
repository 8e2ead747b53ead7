package index

// Broadcast stretches l to the shape by NumPy's rule: aligned at the last axis,
// each length equals the one wanted or is 1, and missing axes are added in
// front. Axes added, and all that had length 1, get stride 0, so that elements
// are visited again. It allocates at most once. The error, which wraps
// [ErrShape], refuses shapes that do not fit or that [Size] refuses for one-byte
// items.
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
