package index

// Contiguous reports whether the elements, of the given size, follow each other in the given order
// without gaps. The array is then one range of memory that starts with the first element.
//
// [C] and [F] follow NumPy's relaxed rule: an axis of length 1 may have any stride. [K] requires
// contiguity in some order of the axes: the elements fill [Layout.Bounds] exactly, each once, and
// the first element comes first. A layout without elements is contiguous in all three orders.
// Negative strides of axes longer than 1 are not contiguous in any order.
func (l Layout) Contiguous(order Order, itemsize int) bool {
	if l.empty() {
		return order <= K
	}
	switch order {
	case C:
		for k := len(l.dims) - 1; k >= 0; k-- {
			if d := l.dims[k]; d.Len != 1 {
				if d.Stride != itemsize {
					return false
				}
				itemsize *= d.Len
			}
		}
		return true
	case F:
		for _, d := range l.dims {
			if d.Len != 1 {
				if d.Stride != itemsize {
					return false
				}
				itemsize *= d.Len
			}
		}
		return true
	case K:
		return l.packed(itemsize)
	}
	return false
}

// packed reports whether l, which has elements, is contiguous in order K. It looks for the axis
// that has the stride of a packed innermost axis, then for the next axis outward, until no axis is
// left.
func (l Layout) packed(stride int) bool {
	var done uint64 // bit k is set once axis k is placed; MaxDims bits fit
	left := 0
	for k, d := range l.dims {
		if d.Len == 1 {
			done |= 1 << k
		} else {
			left++
		}
	}
next:
	for ; left > 0; left-- {
		for k, d := range l.dims {
			if done>>k&1 == 0 && d.Stride == stride {
				done |= 1 << k
				stride *= d.Len
				continue next
			}
		}
		return false
	}
	return true
}
