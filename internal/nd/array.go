package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// Array is what an Array and a View are made of: where the first element is, where
// the others are, what they are, and how they are read and written.
type Array struct {
	P      pointer
	Layout index.Layout
	Store  *Storage
	Read   Access // how an element is read, and
	Write  Access // how it is written
	part   uint32 // of a stack: the part that p is in
}

// Storage is the memory that the elements of one array lie in, and what one of them is.
// The views of an array share it. It is not changed once made.
type Storage struct {
	Mem      *strided.Memory
	DType    dtype.DType
	Value    dtype.DType // of the Go value, once there is a Go type, and
	Size     int         // its bytes
	Decode   elem.Codec  // from memory to the Go value
	Encode   elem.Codec  // and back
	Converts bool        // load and save convert: the Go value is of another type
	Joined   *Joined     // where the elements lie in several memories; nil where they lie in one
}

// Access is how an element gets from memory to a Go value and back. The zero
// Access is that of the zero View.
type Access uint8

const (
	NoAccess Access = iota
	InPlace         // the bytes are the Go value, aligned for it
	ByCodec         // see element
	NoWrite         // no writing: the array is read-only
	Untyped         // an Array: its elements have no Go type yet
	InParts         // what the part of a stack says in which the element is
)

// NewStorage returns the element of dtype d in mem. How numbers of Go are read and
// written is determined here, so that As need not.
func NewStorage(mem *strided.Memory, d dtype.DType) *Storage {
	el := &Storage{Mem: mem, DType: d}
	el.init()
	return el
}

func (el *Storage) init() {
	if el.DType.IsNumber() {
		el.setGoType(el.DType.WithOrder(dtype.Native))
	}
}

// An Backing is a memory with what lies in it.
type Backing struct {
	Mem strided.Memory
	el  Storage
}

// Init makes mem the memory of elements of dtype d, and puts a layout on it.
func (o *Backing) Init(mem strided.Memory, d dtype.DType, off int, lay index.Layout) (Array, error) {
	o.Mem = mem
	o.el = Storage{Mem: &o.Mem, DType: d}
	o.el.init()
	return o.el.onMemory(off, lay)
}

// OnBytes returns an array of dtype d on the bytes b.
func OnBytes(b []byte, d dtype.DType, lay index.Layout) (Array, error) {
	return new(Backing).Init(strided.Memory{Base: strided.Start(b), Size: len(b)}, d, 0, lay)
}

// setGoType makes el have Go values of the dtype want. The error is that of
// [elem.GoValue].
func (el *Storage) setGoType(want dtype.DType) error {
	var err error
	if el.Decode, el.Encode, err = elem.GoValue(want, el.DType); err != nil {
		return err
	}
	el.Value, el.Size = want, want.ItemSize()
	if el.Decode.IsPlain() { // padding and all
		el.Decode = elem.Repeat(el.Size)
		el.Encode = el.Decode
	}
	return nil
}

// onMemory puts a layout on the memory of el: off is where its first element is.
func (el *Storage) onMemory(off int, lay index.Layout) (Array, error) {
	p, err := el.Mem.Place(off, lay, el.DType.ItemSize())
	if err != nil {
		return Array{}, err
	}
	c := Array{P: p, Layout: lay, Store: el, Read: Untyped, Write: Untyped}
	if el.Mem.ReadOnly {
		c.Write = NoWrite
	}
	return c, nil
}

// Piece returns c as package strided has it. Unless c is whole, only the layout means something.
func (c *Array) Piece() strided.Piece {
	return strided.Piece{P: c.P, Layout: c.Layout, ItemSize: c.Store.DType.ItemSize(), Mem: c.Store.Mem}
}

// Offset returns where the first element of c is in its memory.
func (c *Array) Offset() int { return strided.Distance(c.P, c.Store.Mem.Base) }

// sub returns the part of c with another layout, off bytes from its first element.
// The callers derive both from c, so a part that leaves the memory is a bug here.
func (c Array) sub(lay index.Layout, off int) Array {
	if c.Store.Joined != nil {
		return c.restack(lay, off)
	}
	c.P, c.Layout = c.Store.Mem.Part(c.P, off, lay, c.Store.DType.ItemSize()), lay
	return c
}

// Derive returns the part of c with a layout that was made from its own.
func (c Array) Derive(lay index.Layout, off int, err error) (Array, error) {
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", Prefix(c.Store.Mem.Path), err)
	}
	return c.sub(lay, off), nil
}

// transfer decodes the element off bytes after the first one to the Go value at x, or encodes it from there.
func (c *Array) transfer(off int, a Access, x pointer, write bool) {
	if a != InParts {
		c.Store.one(strided.Add(c.P, off), a, x, write)
		return
	}
	part, p := c.locate(off)
	if a = part.Read; write {
		a = part.Write
	}
	part.Store.one(p, a, x, write)
}

// one decodes the element at mem to the Go value at x, or encodes it from there.
func (el *Storage) one(mem pointer, a Access, x pointer, write bool) {
	val := strided.Hide(x)
	switch {
	case a == NoAccess || a == NoWrite:
		panic(el.AccessError(a))
	case write:
		el.Encode.One(mem, val)
	default:
		el.Decode.One(val, mem)
	}
}

func (c Array) IsZero() bool { return c.Store == nil }

// MustBeSet panics for the zero value.
func (c *Array) MustBeSet() *Storage {
	if c.Store == nil {
		panic(UnsetError())
	}
	return c.Store
}

// UnsetError is what use of the zero value panics with.
//
//go:noinline
func UnsetError() error { return (*Storage)(nil).AccessError(NoAccess) }

// MustBeWritable panics for the zero value, and where writing is refused.
func (c *Array) MustBeWritable() {
	if c.MustBeSet(); c.Write == NoWrite {
		panic(c.Store.AccessError(NoWrite))
	}
}

func (c Array) DType() dtype.DType { return c.MustBeSet().DType }

func (c Array) NDim() int { c.MustBeSet(); return c.Layout.NDim() }

func (c Array) Len(axis int) int { c.MustBeSet(); return c.Layout.Len(axis) }

func (c Array) Shape() []int { c.MustBeSet(); return c.Layout.Shape() }

func (c Array) Strides() []int { c.MustBeSet(); return c.Layout.Strides() }

func (c Array) Size() int { c.MustBeSet(); return c.Layout.Size() }

func (c Array) ItemSize() int { return c.MustBeSet().DType.ItemSize() }

func (c Array) NBytes() int { return c.Size() * c.ItemSize() }

func (c Array) ReadOnly() bool { c.MustBeSet(); return c.Write == NoWrite }

// isLaidOut is Contiguous of the memory that a stack has in place of several.
func (c Array) isLaidOut(order index.Order) bool {
	return c.Layout.Contiguous(order, c.Store.DType.ItemSize())
}

func (c Array) Contiguous(order index.Order) bool {
	return c.MustBeSet().Joined == nil && c.isLaidOut(order)
}

// Index sets part to the part of c at position i of its first axis; part may be c itself. It does not return
// the view: that would be stored in words of 8 bytes and copied in words of 16, which wait for those stores.
func (c *Array) Index(i int, part *Array) {
	el, lay := c.MustBeSet(), c.Layout
	if !el.IsWhole() {
		*part = c.sub(lay.Index(i))
		return
	}
	lay, off := lay.Index(i)
	if lay.Size() == 0 {
		off = 0 // no elements, and maybe no memory there
	}
	part.P, part.Layout, part.Store, part.Read, part.Write = strided.Add(c.P, off), lay, el, c.Read, c.Write
}

// Reach returns where the Go value of the element at idx is to be read or written, for
// the access a: the element itself, or else x, once it has been decoded to x or
// encoded from it. At and SetAt are no more than a call of it, and so inline: a call
// with a copy of the view would take longer than all of this.
func (c *Array) Reach(idx []int, x pointer, a Access, write bool) pointer {
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
