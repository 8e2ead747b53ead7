package array_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// An access reads or writes one element or row of a view, for any type of view and any order of arguments of its
// method.
type access struct {
	name string
	axes int // number of indices that call takes; it panics for the first one out of range
	call func(idx []int)
}

// TestBounds tests the bounds check of every axis. The indices -1 and n panic with a *index.BoundsError that names
// axis, index and length, and write nothing. The views lie amid other elements, so that an index out of range still
// addresses valid memory.
func TestBounds(t *testing.T) {
	for _, order := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} { // one is not native
		for ndim := 1; ndim <= 3; ndim++ {
			mem, part := embeddedArray(t, dtype.Int32.WithByteOrder(order), ndim)
			v := check(array.As[int32](part))
			accesses := []access{
				{"View.At", ndim, func(idx []int) { v.At(idx...) }},
				{"View.SetAt", ndim, func(idx []int) { v.SetAt(-1, idx...) }},
				{"View.Index", 1, func(idx []int) { v.Index(idx[0]) }},
				{"Array.Index", 1, func(idx []int) { part.Index(idx[0]) }},
			}
			if order == dtype.Native {
				accesses = append(accesses, fixedRankAccesses(v)...)
			}
			testBounds(t, fmt.Sprintf("%v, %d-d", order, ndim), mem, part.Shape(), accesses)
		}
	}
	for _, d := range []dtype.DType{dtype.Bytes(3), dtype.Unicode(3)} {
		for ndim := 1; ndim <= 3; ndim++ {
			mem, part := embeddedArray(t, d, ndim)
			v := check(array.Text(part))
			testBounds(t, fmt.Sprintf("%v, %d-d", d, ndim), mem, part.Shape(), []access{
				{"TextView.At", ndim, func(idx []int) { v.At(idx...) }},
				{"TextView.SetAt", ndim, func(idx []int) { v.SetAt("abc", idx...) }},
			})
		}
	}
}

// fixedRankAccesses returns the accesses of v as a Vector, Matrix or Cube.
func fixedRankAccesses(v array.View[int32]) []access {
	switch v.NDim() {
	case 1:
		f := check(v.Vector())
		return []access{
			{"Vector.At", 1, func(idx []int) { f.At(idx[0]) }},
			{"Vector.SetAt", 1, func(idx []int) { f.SetAt(-1, idx[0]) }},
		}
	case 2:
		f := check(v.Matrix())
		return []access{
			{"Matrix.At", 2, func(idx []int) { f.At(idx[0], idx[1]) }},
			{"Matrix.SetAt", 2, func(idx []int) { f.SetAt(-1, idx[0], idx[1]) }},
			{"Matrix.Row", 1, func(idx []int) { f.Row(idx[0]) }},
		}
	}
	f := check(v.Cube())
	return []access{
		{"Cube.At", 3, func(idx []int) { f.At(idx[0], idx[1], idx[2]) }},
		{"Cube.SetAt", 3, func(idx []int) { f.SetAt(-1, idx[0], idx[1], idx[2]) }},
		{"Cube.Row", 2, func(idx []int) { f.Row(idx[0], idx[1]) }},
	}
}

func testBounds(t *testing.T, of string, mem []byte, shape []int, accesses []access) {
	t.Helper()
	before := slices.Clone(mem)
	for _, a := range accesses {
		for axis := range a.axes {
			for _, i := range []int{-1, shape[axis]} {
				idx := make([]int, len(shape))
				idx[axis] = i
				name := fmt.Sprintf("%s: %s at %v", of, a.name, idx)
				err := panicError(func() { a.call(idx) })
				var got *index.BoundsError
				if !errors.As(err, &got) {
					t.Errorf("%s: panic with %v, want a *index.BoundsError", name, err)
				} else if got.Axis != axis || got.Index != i || got.Len != shape[axis] {
					t.Errorf("%s: got %+v, want axis %d, index %d, length %d", name, *got, axis, i, shape[axis])
				}
				if want := fmt.Sprintf("index %d out of range for axis %d with length %d", i, axis, shape[axis]); err != nil &&
					err.Error() != want {
					t.Errorf("%s: got %q, want %q", name, err, want)
				}
				if !slices.Equal(mem, before) {
					t.Fatalf("%s wrote something", name)
				}
			}
		}
		// Within range, the access must succeed: the last element, or the last row.
		last := make([]int, len(shape))
		for axis := range a.axes {
			last[axis] = shape[axis] - 1
		}
		if err := panicError(func() { a.call(last) }); err != nil {
			t.Errorf("%s: %s at %v: %v", of, a.name, last, err)
		}
		copy(mem, before)
	}
}

// embeddedArray returns an array with ndim axes of different lengths, and the larger memory that it lies in. Each
// axis starts and ends two elements from the ends of the memory.
func embeddedArray(t *testing.T, d dtype.DType, ndim int) (mem []byte, part array.Array) {
	t.Helper()
	size := d.ItemSize()
	var shape []int
	var sel []index.Selector
	for axis := range ndim {
		shape = append(shape, axis+6)
		sel = append(sel, index.Range(2, axis+4))
		size *= axis + 6
	}
	mem = make([]byte, size)
	for i := range mem {
		mem[i] = byte(i%100) + 1
	}
	base := check(array.FromBytes(mem, d, index.C, shape...))
	return mem, check(base.Select(sel...))
}

// panicError returns the error that f panics with, or nil.
func panicError(f func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	f()
	return nil
}
