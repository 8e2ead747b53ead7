package array

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// A View is an N-dimensional array of T. It is a small value: copies share the elements, which are read and written
// in place, in whatever byte order and with whatever strides. A View of a file is valid until [File.Close]. The zero
// View stands for no array.
type View[T any] struct {
	_ [0]*T // so that Go converts neither an Array nor a View of another type to it
	shaped
}

// Array returns v without its Go type: the elements in memory, those of a [Cast] in the dtype that they have there. It
// panics if v is [Scaled], whose elements are in no memory: those of v.Clone are, or of what v is copied to.
func (v View[T]) Array() Array {
	if !v.IsZero() && v.view.Store.Decode.IsScaled() {
		panic(nd.Misuse(nd.Prefix(v.view.Store.Mem.Path)+"Array of a Scaled view, whose elements are in no memory; "+
			"take that of a Clone, or of a new array that has them by CopyFrom", nil))
	}
	a := Array{v.shaped}
	if !v.IsZero() && v.view.Store.Converts {
		a.view = a.view.WithoutGoType()
	}
	if !v.IsZero() && v.view.Store.IsWhole() {
		a.view.Read = nd.Untyped
		if a.view.Write != nd.NoWrite {
			a.view.Write = nd.Untyped
		}
	}
	return a
}

// At returns the element at idx, one index for every axis. It panics if an index is out of range, and allocates
// nothing.
func (v View[T]) At(idx ...int) T {
	var x T
	return *(*T)(v.view.Reach(idx, pointer(&x), v.view.Read, false))
}

// SetAt sets the element at idx to x. It panics as At does, and with an error that wraps [ErrReadOnly], before memory
// is touched, if v is read-only.
func (v View[T]) SetAt(x T, idx ...int) {
	*(*T)(v.view.Reach(idx, pointer(&x), v.view.Write, true)) = x
}

// Index returns part i of v along its first axis; see [Array.Index].
func (v View[T]) Index(i int) (part View[T]) { v.view.Index(i, &part.view); return part }

// Select returns the part of v that the selectors choose; see [Array.Select].
func (v View[T]) Select(sel ...index.Selector) (View[T], error) {
	c, err := v.view.Derive(v.Layout().Select(sel...))
	return View[T]{shaped: shaped{c}}, err
}

// Data returns the memory of v as a slice, whose elements are in C order. Writing to it writes the array. It is valid
// until the file is closed. Where v is read-only it must not be written to: in a file that is mapped [ReadOnly] that
// is a page fault, and elsewhere nothing prevents it.
//
// The error wraps [ErrNotDirect] where memory is no such slice: foreign byte order, not aligned (as most members of
// archives by numpy.savez), booleans, records that are not laid out as the Go struct is, not C contiguous. In F order
// v.T().Data() is the slice, [View.Blocks] has slices of any view, and [View.Collect] copies it. [slices.Sort] puts NaN
// first, np.sort last.
func (v View[T]) Data() ([]T, error) {
	if err := v.view.CheckInPlace(); err != nil {
		return nil, err
	}
	if !v.Contiguous(index.C) {
		hint := ""
		if v.Contiguous(index.F) {
			hint = "; it is F contiguous: take T().Data()"
		}
		return nil, fmt.Errorf("%s%w: shape %s with strides %s is not C contiguous%s", nd.Prefix(v.view.Store.Mem.Path),
			ErrNotDirect, nd.Tuple(v.Shape()), nd.Tuple(v.Strides()), hint)
	}
	return strided.Slice[T](v.view.P, v.Size()), nil
}
