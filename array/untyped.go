package array

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

type pointer = strided.Pointer

// view is what an Array and a View are made of: where the first element is, where
// the others are, what they are, and how they are read and written.
type view struct {
	p    pointer
	lay  index.Layout
	el   *element
	load access // how an element is read, and
	save access // how it is written
	part uint32 // of a stack: the part that p is in
}

// element is the memory that the elements of one array lie in, and what one of them is.
// The views of an array share it. It is not changed once made.
type element struct {
	mem   *strided.Memory
	dtype dtype.DType
	value dtype.DType // of the Go value, once there is a Go type, and
	size  int         // its bytes
	load  elem.Codec  // from memory to the Go value
	save  elem.Codec  // and back
	cast  bool        // load and save convert: the Go value is of another type
	stack *stack      // where the elements lie in several memories; nil where they lie in one
}

// access is how an element gets from memory to a Go value and back. The zero
// access is that of the zero View.
type access uint8

const (
	noAccess     access = iota
	direct              // the bytes are the Go value, aligned for it
	coded               // see element
	denied              // no writing: the array is read-only
	undetermined        // an Array: its elements have no Go type yet
	stacked             // what the part of a stack says in which the element is
)

// newElement returns the element of dtype d in mem. How numbers of Go are read and
// written is determined here, so that As need not.
func newElement(mem *strided.Memory, d dtype.DType) *element {
	el := &element{mem: mem, dtype: d}
	el.init()
	return el
}

func (el *element) init() {
	if el.dtype.IsNumber() {
		el.setGoType(el.dtype.WithOrder(dtype.Native))
	}
}

// An owner is a memory with what lies in it.
type owner struct {
	mem strided.Memory
	el  element
}

// set makes mem the memory of elements of dtype d, and puts a layout on it.
func (o *owner) set(mem strided.Memory, d dtype.DType, off int, lay index.Layout) (view, error) {
	o.mem = mem
	o.el = element{mem: &o.mem, dtype: d}
	o.el.init()
	return o.el.onMemory(off, lay)
}

// onBytes returns an array of dtype d on the bytes b.
func onBytes(b []byte, d dtype.DType, lay index.Layout) (view, error) {
	return new(owner).set(strided.Memory{Base: strided.Start(b), Size: len(b)}, d, 0, lay)
}

// setGoType makes el have Go values of the dtype want. The error is that of
// [elem.GoValue].
func (el *element) setGoType(want dtype.DType) error {
	var err error
	if el.load, el.save, err = elem.GoValue(want, el.dtype); err != nil {
		return err
	}
	el.value, el.size = want, want.ItemSize()
	if el.load.IsPlain() { // padding and all
		el.load = elem.Repeat(el.size)
		el.save = el.load
	}
	return nil
}

// onMemory puts a layout on the memory of el: off is where its first element is.
func (el *element) onMemory(off int, lay index.Layout) (view, error) {
	p, err := el.mem.Place(off, lay, el.dtype.ItemSize())
	if err != nil {
		return view{}, err
	}
	c := view{p: p, lay: lay, el: el, load: undetermined, save: undetermined}
	if el.mem.ReadOnly {
		c.save = denied
	}
	return c, nil
}

// piece returns c as package strided has it. Unless c is whole, only the layout means something.
func (c *view) piece() strided.Piece {
	return strided.Piece{P: c.p, Layout: c.lay, ItemSize: c.el.dtype.ItemSize(), Mem: c.el.mem}
}

// offset returns where the first element of c is in its memory.
func (c *view) offset() int { return strided.Distance(c.p, c.el.mem.Base) }

// sub returns the part of c with another layout, off bytes from its first element.
// The callers derive both from c, so a part that leaves the memory is a bug here.
func (c view) sub(lay index.Layout, off int) view {
	if c.el.stack != nil {
		return c.restack(lay, off)
	}
	c.p, c.lay = c.el.mem.Part(c.p, off, lay, c.el.dtype.ItemSize()), lay
	return c
}

// derive returns the part of c with a layout that was made from its own.
func (c view) derive(lay index.Layout, off int, err error) (view, error) {
	if err != nil {
		return view{}, fmt.Errorf("%s%w", prefix(c.el.mem.Path), err)
	}
	return c.sub(lay, off), nil
}

// transfer decodes the element off bytes after the first one to the Go value at x, or encodes it from there.
func (c *view) transfer(off int, a access, x pointer, write bool) {
	if a != stacked {
		c.el.one(strided.Add(c.p, off), a, x, write)
		return
	}
	part, p := c.locate(off)
	if a = part.load; write {
		a = part.save
	}
	part.el.one(p, a, x, write)
}

// one decodes the element at mem to the Go value at x, or encodes it from there.
func (el *element) one(mem pointer, a access, x pointer, write bool) {
	val := strided.Hide(x)
	switch {
	case a == noAccess || a == denied:
		panic(el.refusal(a))
	case write:
		el.save.One(mem, val)
	default:
		el.load.One(val, mem)
	}
}

func (c view) IsZero() bool { return c.el == nil }

// mustBeSet panics for the zero value.
func (c *view) mustBeSet() *element {
	if c.el == nil {
		panic(unset())
	}
	return c.el
}

// unset is what use of the zero value panics with.
//
//go:noinline
func unset() error { return (*element)(nil).refusal(noAccess) }

// mustBeWritable panics for the zero value, and where writing is refused.
func (c *view) mustBeWritable() {
	if c.mustBeSet(); c.save == denied {
		panic(c.el.refusal(denied))
	}
}

func (c view) DType() dtype.DType { return c.mustBeSet().dtype }

func (c view) NDim() int { c.mustBeSet(); return c.lay.NDim() }

func (c view) Len(axis int) int { c.mustBeSet(); return c.lay.Len(axis) }

func (c view) Shape() []int { c.mustBeSet(); return c.lay.Shape() }

func (c view) Strides() []int { c.mustBeSet(); return c.lay.Strides() }

func (c view) Size() int { c.mustBeSet(); return c.lay.Size() }

func (c view) ItemSize() int { return c.mustBeSet().dtype.ItemSize() }

func (c view) NBytes() int { return c.Size() * c.ItemSize() }

func (c view) ReadOnly() bool { c.mustBeSet(); return c.save == denied }

// isLaidOut is Contiguous of the memory that a stack has in place of several.
func (c view) isLaidOut(order index.Order) bool {
	return c.lay.Contiguous(order, c.el.dtype.ItemSize())
}

func (c view) Contiguous(order index.Order) bool {
	return c.mustBeSet().stack == nil && c.isLaidOut(order)
}
