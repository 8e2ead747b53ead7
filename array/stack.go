package array

import (
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
)

// Stack returns several arrays as one, along a new first axis, without copying elements: a directory of equal shards
// reads as one array. It uses the memory of the arrays, so their files must stay open, and is read-only if one of them
// is. The arrays must have the same dtype and byte order, or the error is a *[DTypeError], and the same shape and
// strides, or it wraps [ErrShape].
//
// All operations work on the result, except operations that need the elements in one block of memory: [View.Data], the
// fixed-rank views, a Reshape that merges the first axis with others, and another Stack or Join. Access to an element
// takes one more division, and loops allocate some small objects for each array. [Map] treats arrays as sharing memory
// if their bounds overlap.
func Stack(arrays ...Array) (Array, error) {
	if len(arrays) == 0 || len(arrays) >= nd.MaxMembers {
		return Array{}, fmt.Errorf("array: %w: a stack of %d arrays; want 1 to %d", ErrShape, len(arrays), nd.MaxMembers-1)
	}
	first := arrays[0].view
	first.MustBeSet()
	members := make([]nd.View, len(arrays))
	for k, a := range arrays {
		c := a.view
		switch c.MustBeSet(); {
		case c.Store.IsJoined():
			return Array{}, fmt.Errorf("%sarray %d is already a joined array; stack its members instead",
				nd.Prefix(c.Store.Mem.Path), k)
		case !c.Store.DType.Equal(first.Store.DType):
			return Array{}, &DTypeError{Path: c.Store.Mem.Path, Have: c.Store.DType, Want: first.Store.DType,
				Msg: fmt.Sprintf("array %d does not have the dtype of array 0; convert it with AsType or Convert",
					k)}
		case !c.Layout.Equal(first.Layout) && c.Layout.Size() > 0 || !c.Layout.SameShape(first.Layout):
			return Array{}, fmt.Errorf("%s%w: layout %v of array %d differs from the layout of array 0, %v",
				nd.Prefix(c.Store.Mem.Path), ErrShape, c.Layout, k, first.Layout)
		}
		members[k] = c
	}
	c, err := nd.Stack(members)
	return Array{c}, err
}

// Join returns several arrays as one, in their order along the first axis, without copying elements: shards of any
// length read as one array. [Concatenate] copies them. For arrays in F order, join the transposes.
//
// The arrays must have the same dtype and byte order, or the error is a *[DTypeError]. Their shapes must be the same
// except for the first axis, their strides the same, and their first axis the slowest in memory, or the error wraps
// [ErrShape]. The result behaves like that of [Stack], but access to an element searches for its array. A Reshape or a
// Reinterpret returns [ErrCopy] if an element, or an index of the slowest axis, would be in two of the arrays.
func Join(arrays ...Array) (Array, error) {
	if len(arrays) == 0 || len(arrays) >= nd.MaxMembers {
		return Array{}, fmt.Errorf("array: %w: %d arrays to join; want 1 to %d", ErrShape, len(arrays), nd.MaxMembers-1)
	}
	first := arrays[0].view
	first.MustBeSet()
	if first.Layout.NDim() == 0 {
		return Array{}, fmt.Errorf("%s%w: cannot join an array without dimensions", nd.Prefix(first.Store.Mem.Path),
			ErrShape)
	}
	var parts []nd.View
	readOnly, length, stride := false, 0, 0
	for k, a := range arrays {
		c := a.view
		switch c.MustBeSet(); {
		case c.Store.IsJoined():
			return Array{}, fmt.Errorf("%sarray %d is already a joined array; join its members instead",
				nd.Prefix(c.Store.Mem.Path),
				k)
		case !c.Store.DType.Equal(first.Store.DType):
			return Array{}, &DTypeError{Path: c.Store.Mem.Path, Have: c.Store.DType, Want: first.Store.DType,
				Msg: fmt.Sprintf("array %d does not have the dtype of array 0; convert it with AsType or Convert", k)}
		case c.Layout.NDim() != first.Layout.NDim() || !slices.Equal(c.Layout.Shape()[1:], first.Layout.Shape()[1:]):
			return Array{}, fmt.Errorf("%s%w: cannot join shape %s of array %d to shape %s of array 0",
				nd.Prefix(c.Store.Mem.Path), ErrShape, nd.Tuple(c.Shape()), k, nd.Tuple(first.Shape()))
		}
		readOnly = readOnly || c.Write == nd.NoWrite
		if length > math.MaxInt-c.Layout.Len(0) {
			return Array{}, fmt.Errorf("array: %w: the joined array would have more than %d rows", ErrShape, math.MaxInt)
		}
		length += c.Layout.Len(0)
		if c.Layout.Len(0) > 1 && stride == 0 {
			stride = c.Layout.Stride(0)
		}
		if c.Layout.Size() > 0 {
			parts = append(parts, c)
		}
	}
	if len(parts) == 0 { // no array has elements
		shape := first.Layout.Shape()
		shape[0] = length
		lay, err := index.NewLayout(shape, first.Store.DType.ItemSize(), index.C)
		c, err := first.Derive(lay, 0, err)
		return Array{c}, err
	}
	c, err := nd.Join(parts, length, stride)
	if err != nil {
		return Array{}, err
	}
	if readOnly {
		c.Write = nd.NoWrite
	}
	return Array{c}, nil
}
