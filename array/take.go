package array

import (
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// AppendRows appends the rows of v with the given indices to dst, and returns the extended slice, as append does. A row
// is the elements at one index of the first axis, in C order. Indices may repeat, and be in any order; [View.Find]
// finds indices in a column of v. dst must not share memory with v. Rows of a file are read in file order, except in a
// [Stack] or a [Join].
//
// The error is a *[index.BoundsError] if an index is out of range, as negative ones are, or if v has no dimensions. It
// wraps [ErrShape] if the result is too long for a slice. After an error the result is dst.
func (v View[T]) AppendRows(dst []T, rows []int) ([]T, error) {
	if _, err := fromStart(&v.view, 0); err != nil {
		return dst, err // v has no dimensions
	}
	if err := checkIndices(&v.view, 0, rows); err != nil {
		return dst, err
	}
	if len(rows) == 0 || v.Size() == 0 {
		return dst, nil
	}
	size := v.Size() / v.Len(0)
	start := len(dst)
	if size > (math.MaxInt-start)/len(rows) {
		return dst, fmt.Errorf("%s%w: %d rows of %d elements overflow int", nd.Prefix(v.view.Store.Mem.Path),
			ErrShape, len(rows), size)
	}
	dst = slices.Grow(dst, len(rows)*size)[:start+len(rows)*size]
	v.view.TakeValues(strided.Bytes(dst[start:]), rows)
	return dst, nil
}

// Take returns a new array of the elements of a at the given indices of an axis, in the order of the indices: NumPy's
// a[indices] for axis 0, and a[:, indices] for axis 1. The result has the dtype of a, is in C order, and is in Go
// memory. Indices may repeat.
//
// The error is a *[index.BoundsError] if an index is out of range, as negative ones are, or if a does not have the
// axis, which may count from the end. It wraps [ErrShape] for too many elements. See also [TakeInto].
func (a Array) Take(axis int, indices []int) (Array, error) {
	axis, err := fromStart(&a.view, axis)
	if err != nil {
		return Array{}, err
	}
	if err := checkIndices(&a.view, axis, indices); err != nil { // before memory is allocated
		return Array{}, err
	}
	shape := a.Shape()
	shape[axis] = len(indices)
	_, n, err := index.Size(shape, a.ItemSize())
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
	}
	dst, err := nd.OnBytes(strided.Alloc(n), a.DType(), nd.Must(index.NewLayout(shape, a.ItemSize(), index.C)))
	if err != nil {
		return Array{}, err
	}
	return Array{dst}, TakeInto(Array{dst}, a, axis, indices)
}

// Compress returns a new array of the elements of a at the indices of an axis whose value in mask is true: NumPy's
// a[mask] for axis 0. The error wraps [ErrShape] if the mask does not have the length of the axis. For the result and
// other errors see [Array.Take].
func (a Array) Compress(axis int, mask []bool) (Array, error) {
	axis, err := fromStart(&a.view, axis)
	if err != nil {
		return Array{}, err
	}
	if n := a.Len(axis); n != len(mask) {
		return Array{}, fmt.Errorf("%s%w: a mask of length %d does not match axis %d of length %d",
			nd.Prefix(a.view.Store.Mem.Path),
			ErrShape, len(mask), axis, n)
	}
	var indices []int
	for i, isTaken := range mask {
		if isTaken {
			indices = append(indices, i)
		}
	}
	return a.Take(axis, indices)
}

// TakeInto assigns the elements of src at the given indices of an axis to the elements of dst, in the order of the
// indices, converted as by [Copy]. dst must have the shape of src, except that the length of the axis is the number of
// indices, or the error wraps [ErrShape]. For other errors see [Array.Take] and Copy. After an error dst is unchanged.
// TakeInto reads only the pages of a file that contain the elements, in file order, except in a [Stack] or a [Join]. If
// dst and src share memory, it copies src first.
func TakeInto(dst, src Array, axis int, indices []int) error {
	axis, err := fromStart(&src.view, axis)
	if err != nil {
		return err
	}
	if err := checkIndices(&src.view, axis, indices); err != nil {
		return err
	}
	want := src.Shape()
	want[axis] = len(indices)
	if !slices.Equal(want, dst.Shape()) {
		return fmt.Errorf("%s%w: %d indices along axis %d of shape %s result in shape %s, but dst has shape %s",
			nd.Prefix(dst.view.Store.Mem.Path),
			ErrShape, len(indices), axis, nd.Tuple(src.Shape()), nd.Tuple(want),
			nd.Tuple(dst.Shape()))
	}
	to, from := nd.Must(dst.MoveAxis(axis, 0)), nd.Must(src.MoveAxis(axis, 0))
	return nd.Take(to.view, from.view, indices)
}

// fromStart returns an axis of a counted from the start. The error wraps a *index.BoundsError.
func fromStart(a *nd.View, axis int) (int, error) {
	n := a.NDim()
	if axis < -n || axis >= n {
		_, err := a.Relayout(a.Layout.MoveAxis(axis, 0))
		return 0, err
	}
	if axis < 0 {
		axis += n
	}
	return axis, nil
}

// checkIndices returns an error that wraps a *index.BoundsError if an index is out of range for an axis of a.
func checkIndices(a *nd.View, axis int, indices []int) error {
	n := a.Len(axis)
	for k, i := range indices {
		if uint(i) >= uint(n) {
			return fmt.Errorf("%sindices[%d]: %w", nd.Prefix(a.Store.Mem.Path), k,
				&index.BoundsError{Axis: axis, Index: i, Len: n})
		}
	}
	return nil
}
