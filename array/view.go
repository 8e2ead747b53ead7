package array

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
)

// A View is an N-dimensional array of T. It is a value of 48 bytes: copies share
// the elements. Elements are read and written in place, in whatever byte order,
// with whatever strides they have. The zero View stands for no array.
type View[T any] struct{ core }

// Array is v without its Go type.
func (v View[T]) Array() Array {
	a := Array{v.core}
	if !v.IsZero() && v.o.stack == nil {
		a.load = undetermined
		if a.save != denied {
			a.save = undetermined
		}
	}
	return a
}

// At is the element at idx, one index for every axis; v.At() is that of a 0-d
// view. It panics if an index is out of range, and allocates nothing.
func (v View[T]) At(idx ...int) T {
	off := 0
	if len(idx) != v.lay.NDim() {
		v.panicIndex(idx)
	}
	for axis, i := range idx {
		d := v.lay.Dim(axis)
		if uint(i) >= uint(d.Len) {
			v.panicIndex(idx)
		}
		off += i * d.Stride
	}
	return load[T](v.p, off, v.load, v.o)
}

// Set makes x the element at idx. It panics as At does, and with an error that
// wraps [ErrReadOnly], before memory is touched, if v is read-only.
func (v View[T]) Set(x T, idx ...int) {
	off := 0
	if len(idx) != v.lay.NDim() {
		v.panicIndex(idx)
	}
	for axis, i := range idx {
		d := v.lay.Dim(axis)
		if uint(i) >= uint(d.Len) {
			v.panicIndex(idx)
		}
		off += i * d.Stride
	}
	store(v.p, off, v.save, v.o, x)
}

// checked is where the element at idx is, from the first one.
func (c *core) checked(idx []int) int {
	c.some()
	return c.lay.Offset(idx...)
}

// panicIndex panics for indices that are wrong.
func (c core) panicIndex(idx []int) {
	c.some()
	c.lay.Offset(idx...)
	panic("array: bug: the indices are in range")
}

// Index is the part of v at position i of its first axis, with one dimension
// less. It shares the memory, allocates nothing, and panics if i is out of range.
func (v View[T]) Index(i int) View[T] { return View[T]{v.index(i)} }

// Select is the part of v that the selectors choose; see [Array.Select].
func (v View[T]) Select(sel ...index.Selector) (View[T], error) {
	c, err := v.derive(v.Layout().Select(sel...))
	return View[T]{c}, err
}

// Data is the memory of v as a slice, whose elements are in C order. Writing to
// it writes the array, and is valid as long as the array is. Where v is
// read-only, writing to the slice is a page fault.
//
// The error wraps [ErrNotDirect] where that cannot be had: foreign byte order,
// not aligned, booleans (whose bytes may be what no Go bool is), not C
// contiguous. For an array in F order, v.T().Data() is the slice. Blocks works
// with any view.
func (v View[T]) Data() ([]T, error) {
	if err := v.direct(); err != nil {
		return nil, err
	}
	if !v.Contiguous(index.C) {
		hint := ""
		if v.Contiguous(index.F) {
			hint = "; it is F contiguous: take T().Data()"
		}
		return nil, fmt.Errorf("%s%w: shape %v with strides %v is not C contiguous%s", prefix(v.o.path), ErrNotDirect, v.Shape(), v.Strides(), hint)
	}
	return span[T](v.p, 0, v.Size()), nil
}

// direct is the reason why no element of c can be had as a Go value in memory.
func (c *core) direct() error {
	c.some()
	if c.o.stack != nil {
		return fmt.Errorf("%s%w: they are those of several arrays (see Stack)", prefix(c.o.path), ErrNotDirect)
	}
	switch c.load {
	case direct:
		return nil
	case boolByte:
		return fmt.Errorf("%s%w: a byte of a bool array may be neither 0 nor 1", prefix(c.o.path), ErrNotDirect)
	case unaligned:
		return fmt.Errorf("%s%w: elements of %v are not aligned in memory", prefix(c.o.path), ErrNotDirect, c.o.dtype)
	}
	return fmt.Errorf("%s%w: dtype %v is not as Go has it in memory: its byte order is foreign", prefix(c.o.path), ErrNotDirect, c.o.dtype)
}
