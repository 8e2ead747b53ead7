package reduce

import (
	"sync"

	"github.com/ndmap/ndmap/internal/strided"
)

// A scratch is memory for the states of one part of the elements, and then for those of the next. Where few elements
// become a result, the states of all parts together are as large as the elements.
type scratch struct {
	blocks [][]byte
	used   int // blocks, one for each call of zeros; it is set to 0 for the next part
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// keptBytes is how large a block is at most that is kept for other reductions: mostStates results, the largest of which are
// Moments, of 48 bytes. Where all results are under way at once, there may be much larger ones.
const keptBytes = mostStates * 48

// free keeps m for other reductions. Nothing in it is valid any longer.
func (m *scratch) free() {
	for i, block := range m.blocks {
		if len(block) > keptBytes {
			m.blocks[i] = nil
		}
	}
	m.used = 0
	scratches.Put(m)
}

// zeros returns n zeros of a type without pointers, in the next block of m. They are valid until m.used is set to 0.
// If m is nil they are newly allocated.
func zeros[T any](m *scratch, n int) []T {
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

// floatsFor returns as many floats as s has integers: in the memory of s if they have 8 bytes, so that setting one
// overwrites the integer at the same index, and else in the next block of m.
func floatsFor[A int32 | int64](m *scratch, s []A) []float64 {
	if strided.Sizeof[A]() < 8 {
		return zeros[float64](m, len(s))
	}
	return strided.Slice[float64](strided.Start(strided.Bytes(s)), len(s))
}
