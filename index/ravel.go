package index

// Ravel returns the position of idx among all indices of the shape in the given
// order, C or F: with shape (2, 3), index (1, 0) is at 3 in C order and at 1 in F
// order.
//
// The shape must be one that [Size] accepts. Ravel allocates nothing; it panics with a
// [*BoundsError] if idx is not an index of the shape, and with an error that wraps [ErrShape]
// for an order that is not C or F.
func Ravel(idx, shape []int, order Order) int {
	if len(idx) != len(shape) {
		panic(&BoundsError{Index: len(idx), Len: len(shape), kind: badCount})
	}
	if order > F {
		panic(badOrder(order))
	}
	n := 0
	if order == F {
		for k := len(idx) - 1; k >= 0; k-- {
			n = n*shape[k] + check(k, idx[k], shape[k])
		}
		return n
	}
	for k := range idx {
		n = n*shape[k] + check(k, idx[k], shape[k])
	}
	return n
}

// Unravel sets idx to the index at position n in the given order, the inverse
// of [Ravel].
//
// The shape must be one that [Size] accepts. Unravel allocates nothing; it
// panics with a [*BoundsError] if there is no position n or if the lengths of
// shape and idx differ, and for an order that is not C or F, and then leaves idx as it is.
func Unravel(n int, shape, idx []int, order Order) {
	if len(idx) != len(shape) {
		panic(&BoundsError{Index: len(idx), Len: len(shape), kind: badCount})
	}
	if order > F {
		panic(badOrder(order))
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

// check returns i if it indexes an axis of length n, and panics otherwise.
func check(axis, i, n int) int {
	if uint(i) >= uint(n) {
		panic(&BoundsError{Axis: axis, Index: i, Len: n})
	}
	return i
}
