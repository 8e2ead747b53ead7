package array

import (
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Take appends the rows of v with the given indices to dst, and returns the extended slice, as append does. A row is
// the elements at one index of the first axis, in C order. Indices may repeat, and be in any order; [View.Find] finds
// indices in a column of v.
//
// Take panics as [View.Index] does if an index is out of range, or if v has no dimensions. Then dst is as it was. dst
// must not be memory of v.
//
// If dst has the capacity, Take allocates nothing for small batches. It reads rows on disk in the order of the file,
// except of a [Stack] or a [Join]. To be able to cancel, take some of the rows at a time.
func (v View[T]) Take(dst []T, rows []int) []T {
	n := v.Len(0)
	mustBeWithin(rows, n)
	if len(rows) == 0 || v.Size() == 0 {
		return dst
	}
	size := v.Size() / n
	start := len(dst)
	if size > (math.MaxInt-start)/len(rows) {
		panic(fmt.Sprintf("array: Take of %d parts of %d elements: no slice has as many", len(rows), size))
	}
	dst = slices.Grow(dst, len(rows)*size)[:start+len(rows)*size]
	v.view.TakeValues(strided.Bytes(dst[start:]), rows)
	return dst
}

// Take returns a new array of the elements of a at the given indices of an axis, in the order of the indices, as
// np.take(a, indices, axis) does: NumPy's a[indices] for axis 0, and a[:, indices] for axis 1. The result has the dtype
// of a, is in C order, and is in Go memory. To take elements into another array, use the function [Take].
//
// Indices may repeat. An index out of range panics, as in [View.Take]; negative indices are out of range. A negative
// axis counts from the end. The error is for an axis that a does not have, a *[index.BoundsError], and for too many
// elements.
func (a Array) Take(axis int, indices []int) (Array, error) {
	moved, err := a.MoveAxis(axis, 0)
	if err != nil {
		return Array{}, err
	}
	if axis < 0 {
		axis += a.NDim()
	}
	shape := a.Shape()
	shape[axis] = len(indices)
	_, n, err := index.Size(shape, a.ItemSize())
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
	}
	mustBeWithin(indices, moved.Len(0)) // before memory is allocated
	dst, err := nd.OnBytes(strided.Alloc(n), a.DType(), nd.Must(index.NewLayout(shape, a.ItemSize(), index.C)))
	if err != nil {
		return Array{}, err
	}
	return Array{dst}, Take(Array{dst}, a, axis, indices)
}

// Compress returns a new array of the elements of a at the indices of an axis whose value in mask is true: NumPy's
// a[mask] for axis 0, and a[:, mask] for axis 1. The error wraps [ErrShape] if the mask does not have the length of the
// axis. For the result and other errors see [Array.Take]. To make a mask of an array of booleans, use [View.Collect].
func (a Array) Compress(axis int, mask []bool) (Array, error) {
	moved, err := a.MoveAxis(axis, 0)
	if err != nil {
		return Array{}, err
	}
	if moved.Len(0) != len(mask) {
		return Array{}, fmt.Errorf("%s%w: a mask of %d booleans for axis %d of length %d", nd.Prefix(a.view.Store.Mem.Path),
			ErrShape, len(mask), axis, moved.Len(0))
	}
	var indices []int
	for i, isTaken := range mask {
		if isTaken {
			indices = append(indices, i)
		}
	}
	return a.Take(axis, indices)
}

// Take assigns the elements of src at the given indices of an axis to the elements of dst, in the order of the indices.
// It converts them to the dtype of dst as [Copy] does. A negative axis counts from the end.
//
// dst must have the shape of src, except that the length of the axis is the number of indices. Otherwise the error
// wraps [ErrShape]. Other errors are the errors of Copy, and a *[index.BoundsError] for an axis that src does not have.
// An index out of range panics. After an error or the panic, dst is as it was.
//
// Take reads elements on disk in the order of the file, and does not read pages without such elements. That is not so
// for a [Stack] or a [Join]. If dst and src share memory, Take copies src first.
func Take(dst, src Array, axis int, indices []int) error {
	from, err := src.MoveAxis(axis, 0)
	if err != nil {
		return err
	}
	mustBeWithin(indices, from.Len(0))
	want := from.Shape()
	want[0] = len(indices)
	to, err := dst.MoveAxis(axis, 0)
	if err == nil && dst.NDim() == src.NDim() {
		for k, n := range want {
			if to.Len(k) != n {
				err = ErrShape
			}
		}
	} else {
		err = ErrShape
	}
	if err != nil {
		return fmt.Errorf("%s%w: %d parts along axis %d of shape %s do not fill shape %s", nd.Prefix(dst.view.Store.Mem.Path),
			ErrShape, len(indices), axis, nd.Tuple(src.Shape()), nd.Tuple(dst.Shape()))
	}
	return nd.Take(to.view, from.view, indices)
}

// mustBeWithin panics if an index is out of range for an axis of length n.
func mustBeWithin(indices []int, n int) {
	for _, i := range indices {
		if uint(i) >= uint(n) {
			panic(&index.BoundsError{Axis: 0, Index: i, Len: n})
		}
	}
}
