package array

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
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
	if !v.IsZero() && v.view.el.load.IsScaled() {
		panic(misuse(prefix(v.view.el.mem.Path)+"Array of a Scaled view, whose elements are in no memory; "+
			"take that of a Clone, or of a new array that has them by CopyFrom", nil))
	}
	a := Array{v.shaped}
	if !v.IsZero() && v.view.el.cast {
		a.view = a.view.uncasted()
	}
	if !v.IsZero() && v.view.el.isWhole() {
		a.view.load = undetermined
		if a.view.save != denied {
			a.view.save = undetermined
		}
	}
	return a
}

// At returns the element at idx, one index for every axis. It panics if an index is out of range, and allocates
// nothing.
func (v View[T]) At(idx ...int) T {
	var x T
	return *(*T)(v.view.reach(idx, pointer(&x), v.view.load, false))
}

// SetAt sets the element at idx to x. It panics as At does, and with an error that wraps [ErrReadOnly], before memory
// is touched, if v is read-only.
func (v View[T]) SetAt(x T, idx ...int) {
	*(*T)(v.view.reach(idx, pointer(&x), v.view.save, true)) = x
}

// reach returns where the Go value of the element at idx is to be read or written, for
// the access a: the element itself, or else x, once it has been decoded to x or
// encoded from it. At and SetAt are no more than a call of it, and so inline: a call
// with a copy of the view would take longer than all of this.
func (c *view) reach(idx []int, x pointer, a access, write bool) pointer {
	lay := c.lay // in registers
	if len(idx) != lay.NDim() {
		panic(c.badIndex(idx))
	}
	off := 0
	for axis, i := range idx {
		d := lay.Dim(axis)
		if uint(i) >= uint(d.Len) {
			panic(c.badIndex(idx))
		}
		off += i * d.Stride
	}
	if a == direct {
		return strided.Add(c.p, off)
	}
	c.transfer(off, a, x, write)
	return x
}

// badIndex is what indices that are wrong panic with.
//
//go:noinline
func (c *view) badIndex(idx []int) (err any) {
	c.mustBeSet()
	defer func() { err = recover() }()
	c.lay.Offset(idx...)
	return "array: bug: the indices are in range"
}

// Index returns part i of v along its first axis; see [Array.Index].
func (v View[T]) Index(i int) (part View[T]) { v.view.index(i, &part.view); return part }

// Select returns the part of v that the selectors choose; see [Array.Select].
func (v View[T]) Select(sel ...index.Selector) (View[T], error) {
	c, err := v.view.derive(v.Layout().Select(sel...))
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
	if err := v.view.direct(); err != nil {
		return nil, err
	}
	if !v.Contiguous(index.C) {
		hint := ""
		if v.Contiguous(index.F) {
			hint = "; it is F contiguous: take T().Data()"
		}
		return nil, fmt.Errorf("%s%w: shape %s with strides %s is not C contiguous%s", prefix(v.view.el.mem.Path),
			ErrNotDirect, tuple(v.Shape()), tuple(v.Strides()), hint)
	}
	return strided.Slice[T](v.view.p, v.Size()), nil
}

// direct is the reason why no element of c can be had as a Go value in memory.
func (c *view) direct() error {
	el := c.mustBeSet()
	var why string
	const fix = "; loop over Blocks or Update, or copy with Collect"
	switch {
	case c.load == direct:
		return nil
	case !el.isWhole():
		why = severalArrays
	case el.cast:
		why = fmt.Sprintf("they are converted from dtype %v (see Cast and Scaled)", el.dtype)
	case el.load.IsPlain():
		why = fmt.Sprintf("elements of %v are not aligned in memory"+fix, el.dtype)
	default:
		why = elem.Obstacle(el.value, el.dtype)
		if el.dtype.Kind() != dtype.KindStructured {
			why += fix
		}
	}
	return fmt.Errorf("%s%w: %s", prefix(el.mem.Path), ErrNotDirect, why)
}
