package reduce

import (
	"sync"

	"github.com/ndmap/ndmap/internal/strided"
)

// A room is memory for the states of one part of the elements, and then for those of the next: where few elements
// become a result there is as much of it as of elements. Who asks in the same order has the same memory again.
type room struct {
	blocks [][]byte
	used   int // blocks
}

var rooms = sync.Pool{New: func() any { return new(room) }}

// zeros returns n numbers 0, without pointers, in a block that is in use until m.used is set back. No room has new memory
// for all.
func zeros[T any](m *room, n int) []T {
	if m == nil {
		return make([]T, n)
	}
	size := n * strided.Sizeof[T]()
	if m.used == len(m.blocks) {
		m.blocks = append(m.blocks, nil)
	}
	block := &m.blocks[m.used]
	m.used++
	if len(*block) < size {
		*block = strided.Alloc(size)
	} else {
		clear((*block)[:size])
	}
	return strided.Slice[T](strided.Start(*block), n)
}

// floatsOver returns floats in the memory of s: each is set after its integer was read.
func floatsOver(s []int64) []float64 {
	return strided.Slice[float64](strided.Start(strided.Bytes(s)), len(s))
}
