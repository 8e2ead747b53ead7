package index

// Ravel returns the position of idx among all indices of the shape in the order [C] or [F]. In the
// shape (2, 3) the index (1, 0) has position 3 in C order and 1 in F order.
//
// [Size] must accept the shape. Ravel panics with a [*BoundsError] if idx is not an index of the
// shape, and with an error that wraps [ErrShape] if the order is not C or F. It does not allocate.
func Ravel(idx, shape []int, order Order) int {
	if len(idx) != len(shape) {
		panic(&BoundsError{Index: len(idx), Len: len(shape), kind: badCount})
	}
	if order > F {
		panic(orderError(order))
	}
	n := 0
	if order == F {
		for k := len(idx) - 1; k >= 0; k-- {
			n = n*shape[k] + checkIndex(k, idx[k], shape[k])
		}
		return n
	}
	for k := range idx {
		n = n*shape[k] + checkIndex(k, idx[k], shape[k])
	}
	return n
}

// Unravel sets idx to the index at position n in the order [C] or [F]. It is the inverse of
// [Ravel].
//
// [Size] must accept the shape. Unravel panics with a [*BoundsError] if n is out of range or the
// lengths of shape and idx differ, and with an error that wraps [ErrShape] if the order is not C or
// F; idx is then unchanged. It does not allocate.
func Unravel(n int, shape, idx []int, order Order) {
	if len(idx) != len(shape) {
		panic(&BoundsError{Index: len(idx), Len: len(shape), kind: badCount})
	}
	if order > F {
		panic(orderError(order))
	}
	size := 1
	for _, d := range shape {
		size *= d
	}
	if uint(n) >= uint(size) {
		panic(&BoundsError{Index: n, Len: size, kind: badPosition})
	}
	if order == F {
		for k, d := range shape {
			idx[k] = n % d
			n /= d
		}
		return
	}
	for k := len(shape) - 1; k >= 0; k-- {
		idx[k] = n % shape[k]
		n /= shape[k]
	}
}

// checkIndex returns i if it is an index of an axis of length n. Otherwise it panics.
func checkIndex(axis, i, n int) int {
	if uint(i) >= uint(n) {
		panic(&BoundsError{Axis: axis, Index: i, Len: n})
	}
	return i
}
