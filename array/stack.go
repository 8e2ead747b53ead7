package array

import (
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Stack returns one array of several of the same dtype, byte order, shape and strides, with one leading dimension more:
// a directory of equal shards reads as one array. The parts stay where they are, and their files must stay open; it is
// read-only where one of them is. Stack copies no elements. No arrays, other dtypes, shapes or strides, and a stack
// among the arrays, are errors: a *[DTypeError], or one that wraps [ErrShape].
//
// Everything works on a stack except what needs the elements in one piece of memory: [View.Data], the fixed-rank views,
// and a Reshape that joins parts. Index on the leading dimension is the part itself; other access to elements is slower
// by one division. Loops over values and blocks read up to 8 KiB ahead, and where that lies in several parts they
// allocate some small objects for each of these; As, Cast and selections may allocate once for each part. [Map] takes
// parts for sharing memory whose bounds overlap.
func Stack(arrays ...Array) (Array, error) {
	if len(arrays) == 0 || len(arrays) >= nd.MaxMembers {
		return Array{}, fmt.Errorf("array: %w: a stack of %d arrays; want 1 to %d", ErrShape, len(arrays), nd.MaxMembers-1)
	}
	first := arrays[0].view
	first.MustBeSet()
	s := &nd.Joined{Members: make([]nd.View, len(arrays))}
	readOnly := false
	mem := &strided.Memory{Path: first.Store.Mem.Path}
	el := nd.NewStorage(mem, first.Store.DType)
	el.Joined = s
	for k, a := range arrays {
		switch a.view.MustBeSet(); {
		case a.view.Store.Joined != nil:
			return Array{}, fmt.Errorf("%sarray %d is a stack itself: stack all its parts at once",
				nd.Prefix(a.view.Store.Mem.Path),
				k)
		case !a.view.Store.DType.Equal(el.DType):
			return Array{}, &DTypeError{Path: a.view.Store.Mem.Path, Have: a.view.Store.DType, Want: el.DType,
				Msg: fmt.Sprintf("array %d is not of the same dtype as the first of the stack; AsType and Convert make one that is",
					k)}
		case !a.view.Layout.Equal(first.Layout) && a.view.Layout.Size() > 0 || !a.view.Layout.SameShape(first.Layout):
			return Array{}, fmt.Errorf("%s%w: layout %v of array %d is not that of the first of the stack, %v",
				nd.Prefix(a.view.Store.Mem.Path), ErrShape, a.view.Layout, k, first.Layout)
		}
		mem.ReadOnly = mem.ReadOnly || a.view.Store.Mem.ReadOnly
		readOnly = readOnly || a.view.Write == nd.NoWrite
		s.Members[k] = a.view
	}
	lo, hi := first.Layout.Bounds(el.DType.ItemSize())
	s.Low = lo
	for s.Stride = 64; s.Stride <= hi-lo && s.Stride <= math.MaxInt/2; s.Stride *= 2 {
	}
	shape := append([]int{len(arrays)}, first.Layout.Shape()...)
	strides := append([]int{s.Stride}, first.Layout.Strides()...)
	_, _, err := index.Size(shape, el.DType.ItemSize())
	if (err != nil || s.Stride <= hi-lo || s.Stride > math.MaxInt/len(arrays)) && first.Layout.Size() > 0 {
		return Array{}, fmt.Errorf("array: %w: a stack of %d arrays of %d bytes is more than can be addressed", ErrShape,
			len(arrays), hi-lo)
	}
	lay, err := index.Strided(shape, strides)
	if err != nil {
		return Array{}, fmt.Errorf("array: %w", err)
	}
	c := nd.View{P: first.P, Layout: lay, Store: el, Read: nd.ByMember, Write: nd.ByMember}
	if readOnly {
		c.Write = nd.NoWrite
	}
	return Array{shaped{c.Unjoin()}}, nil
}

// Join returns one array of several of the same dtype and byte order, one after the other along the first axis, as
// [Concatenate] makes one, without copying: shards of any length read as one array. Their shapes are the same but for
// the first axis, and so are their strides; each has its first axis as the slowest one in memory, upwards, as the
// order C has it. Other arrays are errors, as of [Stack]: a *[DTypeError], or one that wraps [ErrShape]. Transposes
// of arrays in Fortran order fit, and the transpose of what they become is that along the last axis.
//
// What Stack says of the parts, and of what works and what it costs, holds; access to an element also looks up which
// part it is in. A Reshape, or a Reinterpret, that makes one element or one index of the slowest axis of what is in
// two parts is an error that wraps [ErrCopy].
func Join(arrays ...Array) (Array, error) {
	if len(arrays) == 0 || len(arrays) >= nd.MaxMembers {
		return Array{}, fmt.Errorf("array: %w: %d arrays to join; want 1 to %d", ErrShape, len(arrays), nd.MaxMembers-1)
	}
	first := arrays[0].view
	first.MustBeSet()
	if first.Layout.NDim() == 0 {
		return Array{}, fmt.Errorf("%s%w: an array without dimensions is not joined", nd.Prefix(first.Store.Mem.Path),
			ErrShape)
	}
	var parts []nd.View
	readOnly, length, stride := false, 0, 0
	for k, a := range arrays {
		c := a.view
		switch c.MustBeSet(); {
		case c.Store.Joined != nil:
			return Array{}, fmt.Errorf("%sarray %d is several itself: join all its parts at once", nd.Prefix(c.Store.Mem.Path),
				k)
		case !c.Store.DType.Equal(first.Store.DType):
			return Array{}, &DTypeError{Path: c.Store.Mem.Path, Have: c.Store.DType, Want: first.Store.DType,
				Msg: fmt.Sprintf("array %d is not of the same dtype as the first; AsType and Convert make one that is", k)}
		case c.Layout.NDim() != first.Layout.NDim() || !slices.Equal(c.Layout.Shape()[1:], first.Layout.Shape()[1:]):
			return Array{}, fmt.Errorf("%s%w: shape %s of array %d does not follow that of the first, %s",
				nd.Prefix(c.Store.Mem.Path), ErrShape, nd.Tuple(c.Shape()), k, nd.Tuple(first.Shape()))
		}
		readOnly = readOnly || c.Write == nd.NoWrite
		if length > math.MaxInt-c.Layout.Len(0) {
			return Array{}, fmt.Errorf("array: %w: arrays of more than %d rows", ErrShape, math.MaxInt)
		}
		length += c.Layout.Len(0)
		if c.Layout.Len(0) > 1 && stride == 0 {
			stride = c.Layout.Stride(0)
		}
		if c.Layout.Size() > 0 {
			parts = append(parts, c)
		}
	}
	if len(parts) == 0 { // some axis has length 0, or all first ones
		shape := first.Layout.Shape()
		shape[0] = length
		lay, err := index.NewLayout(shape, first.Store.DType.ItemSize(), index.C)
		c, err := first.Derive(lay, 0, err)
		return Array{shaped{c}}, err
	}
	c, err := nd.Join(parts, length, stride)
	if err != nil {
		return Array{}, err
	}
	if readOnly {
		c.Write = nd.NoWrite
	}
	return Array{shaped{c}}, nil
}
