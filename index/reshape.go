package index

import "slices"

// Reshape gives the elements, in C order, another shape without moving them.
// One length may be -1: it becomes what the number of elements demands. The
// strides are NumPy's, also on axes of length 1 and without elements, for which
// it needs the item size. It allocates at most once.
//
// If the elements would have to move, the error wraps [ErrCopy]; for a shape
// that [Size] refuses or that has another number of elements, [ErrShape].
func (l Layout) Reshape(shape []int, itemsize int) (Layout, error) {
	var buf [MaxDims]int
	full := append(buf[:0], shape...)
	unknown := slices.Index(full, -1)
	if unknown >= 0 {
		full[unknown] = 1
		if slices.Contains(full, -1) {
			return Layout{}, shapeError("more than one length of " + tuple(shape) + " is -1")
		}
	}
	size, _, err := Size(full, itemsize)
	if err != nil {
		return Layout{}, err
	}
	have := l.Size()
	if unknown >= 0 && size > 0 && have%size == 0 {
		full[unknown] = have / size
		size = have
	} else if unknown >= 0 || size != have {
		return Layout{}, shapeError("cannot reshape " + tuple(l.Shape()) + " with " + plural(have, "element",
			"elements") + " to " + tuple(shape))
	}
	if unknown < 0 && slices.EqualFunc(l.dims, full, func(d Dim, n int) bool { return d.Len == n }) {
		return l, nil // NumPy keeps the strides then, whatever they are
	}
	if l.Contiguous(C, itemsize) {
		// The length in place of -1 was not in the Size above, but without
		// elements it is 0 and else the product is that of l.
		return NewLayout(full, itemsize, C)
	}
	return l.regroup(full, itemsize)
}

// regroup is NumPy's _attempt_nocopy_reshape. It walks both shapes at once and
// cuts them into the smallest groups of axes with the same number of elements;
// within each group the old axes must merge into one run, which the new axes
// then divide. The layout has elements, as many as the shape.
func (l Layout) regroup(shape []int, itemsize int) (Layout, error) {
	var buf [MaxDims]Dim
	old := buf[:0]
	for _, d := range l.dims {
		if d.Len != 1 {
			old = append(old, d)
		}
	}
	dims := make([]Dim, len(shape))
	for k, n := range shape {
		dims[k].Len = n
	}
	o, n := 0, 0 // both shapes are done up to here
	for n < len(dims) && o < len(old) {
		oEnd, nEnd := o+1, n+1
		oSize, nSize := old[o].Len, dims[n].Len
		for oSize != nSize {
			if nSize < oSize {
				nSize *= dims[nEnd].Len
				nEnd++
			} else {
				oSize *= old[oEnd].Len
				oEnd++
			}
		}
		for k := o; k < oEnd-1; k++ {
			if !merges(old[k], old[k+1]) {
				return Layout{}, &kindError{"cannot reshape " + l.String() + " to " + tuple(shape) + " in place: copy it first",
					ErrCopy}
			}
		}
		stride := old[oEnd-1].Stride
		for k := nEnd - 1; k >= n; k-- {
			dims[k].Stride = stride
			stride *= dims[k].Len
		}
		o, n = oEnd, nEnd
	}
	// What is left of the new shape is ones.
	stride := itemsize
	if n > 0 {
		stride = dims[n-1].Stride
	}
	for ; n < len(dims); n++ {
		dims[n].Stride = stride
	}
	return Layout{dims}, nil
}

// merges reports whether two adjacent axes, neither of length 0, are one run.
func merges(outer, inner Dim) bool { return outer.Stride == inner.Len*inner.Stride }
