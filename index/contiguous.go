package index

// Contiguous reports whether the elements of the given size lie one after the
// other in the given order, without gaps: then Size elements from the first one
// on are the whole array. C and F follow NumPy's relaxed rule: an axis of length
// 1 may have any stride, and a layout without elements is contiguous both
// ways. K asks for contiguity in some order of the axes, so that the elements
// fill Bounds exactly, each once, the first element first; negative strides
// are not contiguous in any order.
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

// packed looks for the axis with the smallest stride the packing allows, then
// for the next, until none is left.
func (l Layout) packed(stride int) bool {
	var done uint64 // the axes already placed; MaxDims fit
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
