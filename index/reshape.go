package index

// Reshape gives the elements, in C order, another shape without moving them.
// One length may be -1: it becomes what the number of elements demands. The
// strides are NumPy's, also on axes of length 1, for which it needs the item
// size. It allocates at most twice.
//
// If the elements would have to move, the error wraps [ErrCopy]; for a shape
// that is not possible or has another number of elements, [ErrShape].
func (l Layout) Reshape(shape []int, itemsize int) (Layout, error) {
	return Layout{}, shapeError("not yet")
}
