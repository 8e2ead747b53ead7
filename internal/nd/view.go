package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// Reach returns where the Go value of the element at idx is to be read or written, for
// the access a: the element itself, or else x, once it has been decoded to x or
// encoded from it. At and SetAt are no more than a call of it, and so inline: a call
// with a copy of the view would take longer than all of this.
func (c *Array) Reach(idx []int, x pointer, a access, write bool) pointer {
	lay := c.Layout // in registers
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
	if a == InPlace {
		return strided.Add(c.P, off)
	}
	c.transfer(off, a, x, write)
	return x
}

// badIndex is what indices that are wrong panic with.
//
//go:noinline
func (c *Array) badIndex(idx []int) (err any) {
	c.MustBeSet()
	defer func() { err = recover() }()
	c.Layout.Offset(idx...)
	return "array: bug: the indices are in range"
}

// CheckInPlace is the reason why no element of c can be had as a Go value in memory.
func (c *Array) CheckInPlace() error {
	el := c.MustBeSet()
	var why string
	const fix = "; loop over Blocks or Update, or copy with Collect"
	switch {
	case c.Read == InPlace:
		return nil
	case !el.IsWhole():
		why = severalArrays
	case el.Converts:
		why = fmt.Sprintf("they are converted from dtype %v (see Cast and Scaled)", el.DType)
	case el.Decode.IsPlain():
		why = fmt.Sprintf("elements of %v are not aligned in memory"+fix, el.DType)
	default:
		why = elem.Obstacle(el.Value, el.DType)
		if el.DType.Kind() != dtype.KindStructured {
			why += fix
		}
	}
	return fmt.Errorf("%s%w: %s", Prefix(el.Mem.Path), ErrNotDirect, why)
}
