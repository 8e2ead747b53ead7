package array

import (
	"fmt"
	"math"

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
	if len(arrays) == 0 || len(arrays) >= nd.MaxParts {
		return Array{}, fmt.Errorf("array: %w: a stack of %d arrays; want 1 to %d", ErrShape, len(arrays), nd.MaxParts-1)
	}
	first := arrays[0].view
	first.MustBeSet()
	s := &nd.Joined{Parts: make([]nd.Array, len(arrays))}
	readOnly := false
	mem := &strided.Memory{Path: first.Store.Mem.Path}
	el := nd.NewStorage(mem, first.Store.DType)
	el.Joined = s
	for k, a := range arrays {
		switch a.view.MustBeSet(); {
		case a.view.Store.Joined != nil:
			return Array{}, fmt.Errorf("%sarray %d is a stack itself: stack all its parts at once", nd.Prefix(a.view.Store.Mem.Path),
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
		s.Parts[k] = a.view
	}
	lo, hi := first.Layout.Bounds(el.DType.ItemSize())
	s.Low = lo
	for s.Span = 64; s.Span <= hi-lo && s.Span <= math.MaxInt/2; s.Span *= 2 {
	}
	shape, strides := append([]int{len(arrays)}, first.Layout.Shape()...), append([]int{s.Span}, first.Layout.Strides()...)
	_, _, err := index.Size(shape, el.DType.ItemSize())
	if (err != nil || s.Span <= hi-lo || s.Span > math.MaxInt/len(arrays)) && first.Layout.Size() > 0 {
		return Array{}, fmt.Errorf("array: %w: a stack of %d arrays of %d bytes is more than can be addressed", ErrShape,
			len(arrays), hi-lo)
	}
	lay, err := index.Strided(shape, strides)
	if err != nil {
		return Array{}, fmt.Errorf("array: %w", err)
	}
	c := nd.Array{P: first.P, Layout: lay, Store: el, Read: nd.InParts, Write: nd.InParts}
	if readOnly {
		c.Write = nd.NoWrite
	}
	return Array{shaped{c.Unstack()}}, nil
}
