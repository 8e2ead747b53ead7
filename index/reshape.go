package index

import "slices"

// Reshape returns a layout of the given shape for the same elements in C order, without moving
// them.
//
// One length may be -1: Reshape replaces it by the length that the number of elements requires. The
// strides are the same as in NumPy, even for axes of length 1 and for layouts without elements;
// Reshape needs the item size for those.
//
// The error wraps [ErrCopy] if the elements would have to move. It wraps [ErrShape] if [Size]
// refuses the shape, if the shape has another number of elements, or if more than one length is -1.
// Reshape allocates at most once.
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
		return l, nil // for the same shape NumPy keeps even strides that are never used
	}
	if l.Contiguous(C, itemsize) {
		// Size above did not see the length that replaces -1. It cannot overflow:
		// without elements it is 0, otherwise the shape has as many elements as l.
		return NewLayout(full, itemsize, C)
	}
	return l.regroup(full, itemsize)
}

// regroup implements NumPy's _attempt_nocopy_reshape. It walks both shapes at once and divides them
// into the smallest groups of axes with the same number of elements. Within each group the old axes
// must merge into one run, which the new axes divide. l must have elements, as many as the shape.
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
	o, n := 0, 0 // the axes before o and n are done
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
	// The remaining axes of the new shape have length 1.
	stride := itemsize
	if n > 0 {
		stride = dims[n-1].Stride
	}
	for ; n < len(dims); n++ {
		dims[n].Stride = stride
	}
	return Layout{dims}, nil
}

// merges reports whether two adjacent axes, neither of length 0, form one run.
func merges(outer, inner Dim) bool { return outer.Stride == inner.Len*inner.Stride }
