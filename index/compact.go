package index

// Compact returns the contiguous layout for a copy of l: same shape, strides
// for items of the given size in C or F order, or, for K, with the axes in the
// order in which they lie in l, largest stride outermost, as NumPy's empty_like
// makes it. It refuses what [Size] refuses. It allocates at most twice.
func (l Layout) Compact(itemsize int, order Order) (Layout, error) {
	var shapeBuf, axesBuf [MaxDims]int
	shape := l.AppendShape(shapeBuf[:0])
	if order != K {
		return NewLayout(shape, itemsize, order)
	}
	if _, _, err := Size(shape, itemsize); err != nil {
		return Layout{}, err
	}
	dims := make([]Dim, len(shape))
	axes := sortedAxes(axesBuf[:0], []Layout{l})
	for i := len(axes) - 1; i >= 0; i-- {
		k := axes[i]
		dims[k] = Dim{shape[k], itemsize}
		itemsize *= max(shape[k], 1)
	}
	return Layout{dims}, nil
}
