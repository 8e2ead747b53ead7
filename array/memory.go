package array

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unsafe"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// This is the only file of the package in which an address becomes a typed
// pointer or a slice. Two rules make that safe:
//
//   - Every view is made by [core.sub] or [overlay], which check that its lowest
//     and its highest reachable byte lie inside the memory of its origin. After
//     that, an index within the shape cannot leave the memory.
//   - No pointer is ever made to a place outside of that memory, not even one that
//     is not followed: the garbage collector may not see such pointers.

type pointer = unsafe.Pointer

// origin is what all views of one array share.
type origin struct {
	path     string    // for messages; "" for memory that is no file
	file     *mmap.Map // nil for memory that is no file
	start    int       // of base in the file
	base     pointer
	size     int // bytes at base
	dtype    dtype.DType
	codec    codec // for elements that are not one number
	stack    *stack
	readOnly bool
}

// core is what an Array and a View are made of.
type core struct {
	p    pointer // first element
	lay  index.Layout
	o    *origin
	load access // how to read an element, and
	save access // how to write one
}

// access is how an element gets from memory to a Go value and back. The zero
// access is that of the zero View.
type access uint32

const (
	noAccess     access = iota
	direct              // the bytes are the Go value, aligned for it
	unaligned           // the bytes are the Go value, but not aligned for it
	swapped             // one number in foreign byte order
	swappedPair         // a complex number in foreign byte order
	boolByte            // zero is false, anything else true
	coded               // see codec
	denied              // no writing: the array is read-only
	undetermined        // an Array: its elements have no Go type yet
)

// overlay puts a layout on memory: off is where its first element is.
func overlay(o *origin, off int, lay index.Layout) (core, error) {
	lo, hi := lay.Bounds(o.dtype.ItemSize())
	if lo == hi {
		off = 0 // nothing to reach, so any place will do; one inside, for the collector
	} else if off+lo < 0 || off+hi > o.size {
		return core{}, fmt.Errorf("%w: layout %v reaches bytes %d to %d of memory of %d bytes", ErrShape, lay, off+lo, off+hi, o.size)
	}
	c := core{p: unsafe.Add(o.base, off), lay: lay, o: o, load: undetermined, save: undetermined}
	if o.readOnly {
		c.save = denied
	}
	return c, nil
}

// offset is where the first element of c is in the memory of its origin.
func (c *core) offset() int { return addressDiff(c.p, c.o.base) }

// sub is the part of c with another layout, off bytes from its first element.
// The callers derive both from c, so a part that leaves the memory is a bug here.
func (c core) sub(lay index.Layout, off int) core {
	if c.o.stack != nil {
		return c.restack(lay, off)
	}
	lo, hi := lay.Bounds(c.o.dtype.ItemSize())
	at := c.offset() + off
	if lo == hi {
		at = 0
	} else if at+lo < 0 || at+hi > c.o.size {
		panic(fmt.Sprintf("array: bug: layout %v at byte %d leaves the %d bytes of its memory", lay, at, c.o.size))
	}
	c.p = unsafe.Add(c.o.base, at)
	c.lay = lay
	return c
}

// aligned reports whether every element of c is at an address that is a multiple
// of align.
func (c *core) aligned(align uintptr) bool {
	if uintptr(c.p)%align != 0 {
		return false
	}
	for axis := range c.lay.NDim() {
		if d := c.lay.Dim(axis); d.Len > 1 && uintptr(d.Stride)%align != 0 {
			return false
		}
	}
	return true
}

// load reads the element off bytes after p.
func load[T any](p pointer, off int, a access, o *origin) (x T) {
	if a == direct {
		return *(*T)(unsafe.Add(p, off))
	}
	return loadSlow[T](p, off, a, o)
}

// loadSlow reads an element whose bytes are not the Go value. It stays a call, so
// that load is small enough to be none.
//
//go:noinline
func loadSlow[T any](p pointer, off int, a access, o *origin) (x T) {
	transfer(p, off, a, o, pointer(&x), false)
	return x
}

// store writes the element off bytes after p.
func store[T any](p pointer, off int, a access, o *origin, x T) {
	if a == direct {
		*(*T)(unsafe.Add(p, off)) = x
		return
	}
	transfer(p, off, a, o, pointer(&x), true)
}

// transfer decodes the element off bytes after p to the Go value at x, or encodes
// it from there.
func transfer(p pointer, off int, a access, o *origin, x pointer, write bool) {
	if a == noAccess || a == denied {
		panic(o.refusal(a))
	}
	if a&stacked != 0 {
		var k int
		k, p = o.stack.place(p, off, a)
		part := &o.stack.parts[k]
		off, o, a = 0, part.o, part.load
		if write {
			a = part.save
		}
	}
	n := o.dtype.ItemSize()
	mem, val := unsafe.Slice((*byte)(unsafe.Add(p, off)), n), unsafe.Slice((*byte)(x), n)
	if write {
		move(mem, val, a, o)
	} else {
		move(val, mem, a, o)
	}
}

// move copies one element, from memory to a Go value or back: the change of byte
// order is its own inverse.
func move(dst, src []byte, a access, o *origin) {
	ne := binary.NativeEndian
	switch {
	case a == swapped && len(src) == 8:
		ne.PutUint64(dst, bits.ReverseBytes64(ne.Uint64(src)))
	case a == swapped && len(src) == 4:
		ne.PutUint32(dst, bits.ReverseBytes32(ne.Uint32(src)))
	case a == swapped && len(src) == 2:
		ne.PutUint16(dst, bits.ReverseBytes16(ne.Uint16(src)))
	case a == swappedPair && len(src) == 16:
		ne.PutUint64(dst, bits.ReverseBytes64(ne.Uint64(src)))
		ne.PutUint64(dst[8:], bits.ReverseBytes64(ne.Uint64(src[8:])))
	case a == swappedPair && len(src) == 8:
		ne.PutUint32(dst, bits.ReverseBytes32(ne.Uint32(src)))
		ne.PutUint32(dst[4:], bits.ReverseBytes32(ne.Uint32(src[4:])))
	case a == direct, a == unaligned:
		copy(dst, src)
	case a == boolByte:
		dst[0] = min(src[0], 1)
	case a == coded:
		o.codec.move(dst, src)
	default:
		panic("array: bug: no such access")
	}
}

// span is the n direct elements that follow each other from off bytes after p.
func span[T any](p pointer, off, n int) []T {
	if n == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(unsafe.Add(p, off)), n)
}

// memory is the n bytes at p.
func memory(p pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// offset is the place off bytes after p.
func offset(p pointer, off int) pointer { return unsafe.Add(p, off) }

// element is the memory of the element off bytes from the first one.
func (c *core) element(off int) []byte {
	p := c.p
	if c.load&stacked != 0 {
		_, p = c.o.stack.place(p, off, c.load)
		off = 0
	}
	n := c.o.dtype.ItemSize()
	if n == 0 {
		return []byte{}
	}
	return unsafe.Slice((*byte)(unsafe.Add(p, off)), n)
}

// ptr is the place off bytes after the first element of c.
func (c *core) ptr(off int) pointer { return unsafe.Add(c.p, off) }

// distance is how many bytes after the first element of d that of c is.
func (c *core) distance(d *core) int { return addressDiff(c.p, d.p) }

func address(p pointer) uintptr { return uintptr(p) }

// addressDiff is how many bytes after q p is.
func addressDiff(p, q pointer) int { return int(uintptr(p) - uintptr(q)) }

// isAligned reports whether p is a multiple of what numbers of size bytes need.
func isAligned(p pointer, size int) bool { return uintptr(p)%uintptr(min(size, 8)) == 0 }

// heap is n bytes of Go's memory, zero, aligned for any number.
func heap(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	words := make([]uint64, (n-1)/8+1)
	return unsafe.Slice((*byte)(pointer(&words[0])), n)
}

// bytesOf is the memory of a slice.
func bytesOf[T any](s []T) []byte {
	var x T
	return unsafe.Slice((*byte)(pointer(unsafe.SliceData(s))), len(s)*int(unsafe.Sizeof(x)))
}

// start is the address of a slice.
func start(b []byte) pointer { return pointer(unsafe.SliceData(b)) }

func sizeof[T any]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

func alignof[T any]() uintptr {
	var x T
	return unsafe.Alignof(x)
}

// at is the direct element off bytes after p.
func at[T any](p pointer, off int) T { return *(*T)(unsafe.Add(p, off)) }

// put makes x the direct element off bytes after p.
func put[T any](p pointer, off int, x T) { *(*T)(unsafe.Add(p, off)) = x }
