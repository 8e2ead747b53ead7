package reduce

import (
	"sync"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// A scratch holds memory for the accumulators of one part of the elements. The next part reuses it. Without reuse,
// accumulators could take as much memory as the elements, if there are few elements per result.
type scratch struct {
	blocks [][]byte
	used   int // number of blocks in use, one for each call of zeros; set to 0 before the next part

	states          accumulators // accumulators of the previous part
	n               []int        // lengths of results along the kept axes
	axes            []elem.Axis  // axes of results, or of elements to copy
	shape, from, to []int        // shape and strides of two layouts
	mem             strided.Memory
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// keptBytes is the size of the largest block that the pool keeps: maxStates Moments of 48 bytes each. A reduction along
// the first axis keeps accumulators for all results at once, so its blocks may be much larger.
const keptBytes = maxStates * 48

// free returns m to the pool.
func (m *scratch) free() {
	m.trim()
	scratches.Put(m)
}

// trim frees the blocks that are larger than keptBytes. The results of zeros become invalid.
func (m *scratch) trim() {
	for i, block := range m.blocks {
		if len(block) > keptBytes {
			m.blocks[i], m.states = nil, nil
		}
	}
	m.used, m.mem = 0, strided.Memory{}
}

// layouts returns the layouts of the destination and of the source that m.axes describe.
func (m *scratch) layouts() (to, from index.Layout, err error) {
	m.shape, m.from, m.to = m.shape[:0], m.from[:0], m.to[:0]
	for _, a := range m.axes {
		m.shape, m.from, m.to = append(m.shape, a.N), append(m.from, a.SS), append(m.to, a.DS)
	}
	if to, err = index.Strided(m.shape, m.to); err != nil {
		return to, from, err
	}
	from, err = index.Strided(m.shape, m.from)
	return to, from, err
}

// zeros returns n zeros of a type without pointers, in the next block of m, or newly allocated if m is nil. They are
// valid until m.used is set to 0.
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

// reuse copies s to the memory of m.states if that has the same type, and otherwise to new memory. It returns the copy.
func reuse[S any, P interface {
	*S
	accumulators
}](m *scratch, s S) accumulators {
	if m == nil {
		m = new(scratch) // on the stack
	}
	p, ok := m.states.(P)
	if !ok {
		p = new(S)
		m.states = p
	}
	*p = s
	return p
}

// floatsFor returns a float for each integer of s. If the integers have 8 bytes, the floats are in their memory:
// setting a float overwrites the integer at the same index. Otherwise they are in the next block of m. If the integers
// have 8 bytes, m may be nil.
func floatsFor[A int32 | int64](m *scratch, s []A) []float64 {
	if strided.Sizeof[A]() < 8 {
		return zeros[float64](m, len(s))
	}
	return strided.Slice[float64](strided.Start(strided.Bytes(s)), len(s))
}
