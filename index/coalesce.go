package index

// Coalesce returns the layout with the fewest axes that visits the same offsets in the same C
// order.
//
// It drops axes of length 1 and merges adjacent axes that form one run. A contiguous layout becomes
// one axis, and a single element no axis. A layout without elements becomes one axis of length 0
// and stride 0. Coalesce allocates at most once.
func (l Layout) Coalesce() Layout {
	if l.empty() {
		return Layout{make([]Dim, 1)}
	}
	dims := make([]Dim, 0, len(l.dims))
	for _, d := range l.dims {
		last := len(dims) - 1
		switch {
		case d.Len == 1:
		case last >= 0 && merges(dims[last], d):
			dims[last] = Dim{dims[last].Len * d.Len, d.Stride}
		default:
			dims = append(dims, d)
		}
	}
	return Layout{dims}
}
