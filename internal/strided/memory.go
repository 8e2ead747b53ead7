// Package strided works on many elements: it knows where they lie in memory, walks
// through them, and plans copies. What one element is, package elem knows.
//
// A copy, a fill and the loops over elements are three steps: prepare the axes, get
// the one operation of elem for the two sides, walk the blocks.
package strided

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A Memory is what the views of one array share. It is not changed once made.
type Memory struct {
	Path     string    // for messages; "" for memory that stands for no file
	File     *mmap.Map // nil for memory that is no file
	Offset   int       // of Base in the file
	Base     Pointer
	Size     int // bytes at Base
	ReadOnly bool
	Closed   *uint32 // not 0 once the memory is gone, read atomically; nil for Go's memory
}

// A Piece is a layout on memory, which [Memory.Place] has checked.
type Piece struct {
	P        Pointer // the first element
	Layout   index.Layout
	ItemSize int
	Mem      *Memory
}

// Place returns the address of the first element of a layout, off bytes after the
// base of m. It is the one place where a layout is checked against its memory; the
// error wraps index.ErrShape.
func (m *Memory) Place(off int, lay index.Layout, itemsize int) (Pointer, error) {
	lo, hi := lay.Bounds(itemsize)
	if lo == hi {
		return m.Base, nil // nothing to reach, so any place will do; one inside, for the collector
	}
	if off < -lo || hi > m.Size-off {
		end := any(off + hi)
		if off > 0 && off+hi < 0 {
			end = uint(off) + uint(hi)
		}
		return nil, fmt.Errorf("%w: layout %v reaches bytes %d to %d of memory of %d bytes", index.ErrShape, lay, off+lo, end,
			m.Size)
	}
	return Add(m.Base, off), nil
}

// Part returns the address of the first element of a layout that was made from one of the
// memory, off bytes from the first element p of that. One that leaves the memory is a bug
// of the caller, and panics.
func (m *Memory) Part(p Pointer, off int, lay index.Layout, itemsize int) Pointer {
	q, err := m.Place(Distance(p, m.Base)+off, lay, itemsize)
	if err != nil {
		panic("array: bug: " + err.Error())
	}
	return q
}

// IsAligned reports whether every element of p is at an address that is a multiple
// of align.
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

// PieceOn returns a piece with layout lay whose first element is at the start of b.
func PieceOn(b []byte, lay index.Layout, itemsize int) Piece {
	return Piece{P: Start(b), Layout: lay, ItemSize: itemsize, Mem: &Memory{Base: Start(b), Size: len(b)}}
}

// newLike returns a piece of new Go memory with the shape of p, without gaps, in the memory order of p.
func (p Piece) newLike() (Piece, error) {
	lay, err := p.Layout.Compact(p.ItemSize, index.K)
	if err != nil {
		return Piece{}, err
	}
	return PieceOn(Alloc(lay.Size()*p.ItemSize), lay, p.ItemSize), nil
}
