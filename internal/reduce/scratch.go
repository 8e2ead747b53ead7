package reduce

import (
	"sync"

	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// A scratch is memory for the states of one part of the elements, and then for those of the next. Where few elements
// become a result, the states of all parts together are as large as the elements.
type scratch struct {
	blocks [][]byte
	used   int // blocks, one for each call of zeros; it is set to 0 for the next part

	states          states      // those of the part before
	mean            *scratch    // of the states of the means, if there are any; see withMean
	axes            []elem.Axis // of engine.store, and of a plan of a copy
	shape, from, to []int
	mem             strided.Memory
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// keptBytes is the size of the largest block that the pool keeps: of mostStates Moments, which have 48 bytes each. A
// reduction along the first axis has all results at once, and its blocks may be much larger.
const keptBytes = mostStates * 48

// free returns m to the pool.
func (m *scratch) free() {
	m.trim()
	scratches.Put(m)
}

// trim leaves m without the blocks that are larger than keptBytes. What zeros returned is no longer valid.
func (m *scratch) trim() {
	for i, block := range m.blocks {
		if len(block) > keptBytes {
			m.blocks[i], m.states = nil, nil
		}
	}
	m.used, m.mem = 0, strided.Memory{}
	if m.mean != nil {
		m.mean.trim()
	}
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

// in returns s in the memory of the states of the part before, if these are of that type.
func in[S any, P interface {
	*S
	states
}](m *scratch, s S) states {
	var p P
	if m != nil {
		p, _ = m.states.(P)
	}
	if p == nil {
		p = new(S)
	}
	if m != nil {
		m.states = p
	}
	*p = s
	return p
}

// floatsFor returns as many floats as s has integers: in the memory of s if they have 8 bytes, so that setting one
// overwrites the integer at the same index, and else in the next block of m. If they
// have 8 bytes, m may be nil.
func floatsFor[A int32 | int64](m *scratch, s []A) []float64 {
	if strided.Sizeof[A]() < 8 {
		return zeros[float64](m, len(s))
	}
	return strided.Slice[float64](strided.Start(strided.Bytes(s)), len(s))
}
