// Package strided works on many elements at a time: it computes their addresses, walks through them, and plans copies.
// Package elem decodes and encodes the elements themselves.
//
// A copy, a fill and a loop over elements take three steps: prepare the axes, choose the codec of package elem for the
// two sides, and walk through the blocks.
package strided

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A Memory describes the memory that all views of an array share. Its fields never change.
type Memory struct {
	Path     string    // for messages; "" if the memory does not represent a file
	File     *mmap.Map // nil if the memory is not a mapped file
	Offset   int       // the offset of Base in the file
	Base     Pointer
	Size     int // the number of bytes at Base
	ReadOnly bool
	Closed   *uint32 // not 0 after the memory is unmapped, accessed atomically; nil for Go's memory

	// Write, if it is not nil, writes b to File at byte off by a system call. Copies to a new file use it, because a page
	// fault for each page of the file takes longer. Goroutines may call it at the same time.
	Write func(b []byte, off int) error

	// Fetch, if it is not nil, requests the elements of p: those at Base are absent. It returns the address of a copy of
	// the first element, and a function that frees the copy, which has the strides of p. If the request fails, it
	// returns nil. Goroutines may call Fetch at the same time. Only package reduce uses it. Gap is the gap of the ranges
	// that Fetch requests: see [EachRange].
	Fetch func(p Piece) (first Pointer, free func())
	Gap   int
}

// A Piece describes elements in a memory by their layout. [Memory.Place] has checked that all its elements lie in the
// memory.
type Piece struct {
	P        Pointer // the first element
	Layout   index.Layout
	ItemSize int
	Mem      *Memory
}

// Place returns the address of the first element of a layout, off bytes after the base of m. If an element would lie
// outside of m, it returns an error that wraps index.ErrShape. No other function checks a layout against its memory.
func (m *Memory) Place(off int, lay index.Layout, itemsize int) (Pointer, error) {
	lo, hi := lay.Bounds(itemsize)
	if lo == hi {
		return m.Base, nil // no byte is accessed, so any address in the memory works
	}
	if off < -lo || hi > m.Size-off {
		end := any(off + hi)
		if off > 0 && off+hi < 0 {
			end = uint(off) + uint(hi)
		}
		return nil, fmt.Errorf("%w: layout %v spans bytes %d to %d, but the memory has %d bytes", index.ErrShape, lay, off+lo,
			end,
			m.Size)
	}
	return Add(m.Base, off), nil
}

// Part returns the address of the first element of lay, off bytes after p. lay is a selection of a layout on m whose
// first element is at p. Part panics if an element would lie outside of m, which is a bug of the caller.
func (m *Memory) Part(p Pointer, off int, lay index.Layout, itemsize int) Pointer {
	q, err := m.Place(Distance(p, m.Base)+off, lay, itemsize)
	if err != nil {
		panic(fmt.Errorf("array: bug: %w", err))
	}
	return q
}

// IsAligned reports whether the address of every element of p is a multiple of align.
func (p Piece) IsAligned(align int) bool {
	if Address(p.P)%uintptr(align) != 0 {
		return false
	}
	for axis := range p.Layout.NDim() {
		if d := p.Layout.Dim(axis); d.Len > 1 && d.Stride%align != 0 {
			return false
		}
	}
	return true
}

// PieceOn returns a piece with layout lay whose first element is at the start of b. It shares the memory of b.
func PieceOn(b []byte, lay index.Layout, itemsize int) Piece {
	return Piece{P: Start(b), Layout: lay, ItemSize: itemsize, Mem: &Memory{Base: Start(b), Size: len(b)}}
}

// newLike returns a piece in new Go memory, with the shape and memory order of p and without gaps. The error wraps
// index.ErrShape if the size overflows.
func (p Piece) newLike() (Piece, error) {
	lay, err := p.Layout.Compact(p.ItemSize, index.K)
	if err != nil {
		return Piece{}, err
	}
	return PieceOn(Alloc(lay.Size()*p.ItemSize), lay, p.ItemSize), nil
}
