// Package elem moves elements from one memory to another: as they are, with their bytes reversed, converted to another
// type, or field by field.
//
// [New] returns the [Codec] for two dtypes, and [GoValue] returns the Codecs for a dtype and a Go type. [Codec.Move]
// moves a block of m × n elements with two strides on either side. It handles short inner axes, transposes and tiles.
//
// Like package kernel, this package trusts addresses: internal/strided checks that every block is inside its memory.
package elem

import (
	"encoding/binary"
	"math/bits"

	"github.com/ndmap/ndmap/internal/kernel"
)

// Pointer is an address in memory that Go or the system owns.
type Pointer = kernel.Pointer

// A Side describes the source or the destination of a block of elements.
type Side = kernel.Side

// dense returns a Side of rows of n elements of size bytes, without gaps.
func dense(p Pointer, n, size int) Side { return Side{P: p, Row: n * size, Item: size} }

// A Codec describes how to convert elements of one type to elements of another. It is immutable, and goroutines may
// share it. The zero Codec moves nothing.
type Codec struct {
	op           op
	times        bool // for conversions: NaN becomes NaT
	partial      bool // for structures: the parts leave out fields of one side
	dsize, ssize int  // bytes of an element of the destination, and of the source

	// For moves: size bytes are moved, starting skip bytes after the start of the source. If swap is more than 1, each
	// group of swap bytes is reversed, also for long doubles.
	size, skip, swap int

	kernels  *kernels // for conversions
	from, to number

	parts []part // for structures

	// For chains: first converts the source to numbers in native order, linear transforms these numbers unless it is nil,
	// and second converts them to the destination.
	first, second *Codec
	linear        *linearFunc
}

type op uint8

const (
	opMove    op = iota // bytes, maybe reversed
	opText              // bytes, then NULs up to the end of the element
	opConvert           // numbers
	opFields            // a structure, part by part
	opChain             // first, linear and second in turn
	opLong              // long doubles to float64
)

// A part describes count consecutive values in a structure, with their offsets on both sides.
type part struct {
	doff, soff, count int
	codec             Codec
}

// Chain returns the Codec that converts elements with first and the results with second. The intermediate values must
// be Go numbers.
func Chain(first, second *Codec) Codec {
	return Codec{op: opChain, dsize: second.dsize, ssize: first.ssize, first: first, second: second}
}

// Repeat returns a Codec that moves elements of size bytes as they are.
func Repeat(size int) Codec { return Codec{size: size, dsize: size, ssize: size} }

// IsScaled reports whether [Scaled] returned c.
func (c *Codec) IsScaled() bool { return c.linear != nil }

// IsPlain reports whether c moves elements as they are, except for padding. It returns false for a structure if c
// leaves out some fields.
func (c *Codec) IsPlain() bool {
	switch c.op {
	case opMove:
		return c.swap <= 1 && c.dsize == c.ssize
	case opFields:
		for k := range c.parts {
			p := &c.parts[k]
			if p.doff != p.soff || !p.codec.IsPlain() {
				return false
			}
		}
		return c.dsize == c.ssize && !c.partial
	}
	return false
}

// Reversed returns the size of an element if Move only reverses its bytes. Otherwise it returns 0.
func (c *Codec) Reversed() int {
	if c.op == opMove && c.swap > 1 && c.swap == c.size && c.size == c.dsize && c.size == c.ssize {
		return c.size
	}
	return 0
}

// HasPadding reports whether Move may leave bytes of an element unwritten.
func (c *Codec) HasPadding() bool { return c.op == opFields }

// InPlace reports whether the source and the destination of Move may overlap. If so, Move reads all bytes of an element
// before it writes any of them, and moves the elements of a row in order. skip is the offset of the first byte that it
// reads in a source element.
func (c *Codec) InPlace() (skip int, ok bool) {
	return c.skip, c.op == opMove && (c.swap <= 1 || c.swap == c.size)
}

// KeepsOrder reports whether a row of consecutive elements may overlap its source in any way, like the arguments of the
// built-in copy.
func (c *Codec) KeepsOrder() bool { return c.op == opMove && c.swap <= 1 }

// SourceSize returns the number of bytes of a source element.
func (c *Codec) SourceSize() int { return c.ssize }

// Move moves m × n elements. The two sides must not overlap. Blocks of one row may overlap if InPlace returns true.
func (c *Codec) Move(m, n int, dst, src Side) {
	if m <= 0 || n <= 0 {
		return
	}
	switch c.op {
	case opMove:
		src.P = kernel.Add(src.P, c.skip)
		moveBytes(m, n, dst, src, c.size, c.swap)
	case opText:
		moveBytes(m, n, dst, src, c.size, c.swap)
		clearRest(m, n, dst, c.size, c.dsize)
	case opConvert, opChain:
		c.moveTiled(m, n, dst, src)
	case opFields:
		c.moveFields(m, n, dst, src)
	case opLong:
		c.moveLong(m, n, dst, src)
	}
}

// One moves one element, like Move with m = n = 1.
func (c *Codec) One(dst, src Pointer) {
	switch {
	case c.op == opMove && c.swap == c.size:
		ne := binary.NativeEndian
		d, s := kernel.Bytes(dst, c.size), kernel.Bytes(kernel.Add(src, c.skip), c.size)
		switch c.size {
		case 8:
			ne.PutUint64(d, bits.ReverseBytes64(ne.Uint64(s)))
			return
		case 4:
			ne.PutUint32(d, bits.ReverseBytes32(ne.Uint32(s)))
			return
		case 2:
			ne.PutUint16(d, bits.ReverseBytes16(ne.Uint16(s)))
			return
		}
	case c.op == opMove && c.swap <= 1:
		kernel.Copy(kernel.Bytes(dst, c.size), kernel.Bytes(kernel.Add(src, c.skip), c.size))
		return
	case c.op == opFields:
		for k := range c.parts {
			p := &c.parts[k]
			p.codec.run(p.count, kernel.Add(dst, p.doff), kernel.Add(src, p.soff))
		}
		return
	case c.op == opConvert && c.from.num == kernel.Bool && c.to.num == kernel.Bool:
		kernel.Bytes(dst, 1)[0] = min(kernel.Bytes(src, 1)[0], 1)
		return
	case c.op == opChain:
		var middle [2]uint64 // enough for a complex number
		p := kernel.Hide(Pointer(&middle))
		c.first.One(p, src)
		c.linear.apply(p, 1)
		c.second.One(dst, p)
		return
	}
	c.Move(1, 1, Side{P: dst, Row: c.dsize, Item: c.dsize}, Side{P: src, Row: c.ssize, Item: c.ssize})
}

// run moves count consecutive elements.
func (c *Codec) run(count int, dst, src Pointer) {
	if count == 1 {
		c.One(dst, src)
		return
	}
	c.Move(1, count, Side{P: dst, Row: 0, Item: c.dsize}, Side{P: src, Row: 0, Item: c.ssize})
}

// moveFields does the work of Move for structures. It moves a few elements of a row at a time, field by field.
func (c *Codec) moveFields(m, n int, dst, src Side) {
	if len(c.parts) == 0 {
		return
	}
	if m > 1 && dst.Row == n*dst.Item && src.Row == n*src.Item {
		m, n = 1, m*n
	}
	if m > n {
		m, n, dst, src = n, m, dst.Turned(), src.Turned()
	}
	step := max(1, recordBytes/max(1, c.dsize, c.ssize))
	for i := range m {
		for j := 0; j < n; j += step {
			c.moveRecords(min(step, n-j), dst.At(i, j), src.At(i, j))
		}
	}
}

// moveRecords moves n structures field by field.
func (c *Codec) moveRecords(n int, dst, src Side) {
	for k := range c.parts {
		p := &c.parts[k]
		d := Side{P: kernel.Add(dst.P, p.doff), Row: dst.Item, Item: p.codec.dsize}
		s := Side{P: kernel.Add(src.P, p.soff), Row: src.Item, Item: p.codec.ssize}
		p.codec.Move(n, p.count, d, s)
	}
}

// clearRest clears all bytes of m × n elements of size bytes, except the first done bytes of each.
func clearRest(m, n int, dst Side, done, size int) {
	if done == size {
		return
	}
	for i := range m {
		for j := range n {
			kernel.Clear(kernel.Bytes(dst.At(i, j).P, size)[done:])
		}
	}
}
