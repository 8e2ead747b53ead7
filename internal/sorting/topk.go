package sorting

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// First returns the positions of the first k elements of v, which has one dimension, in the order of their keys. Of
// equal elements, the one with the lower position comes first.
//
// It reads v once. It divides rows of 256 KiB into blocks, finds the best element of each block, and looks into the
// blocks with the best ones first. After that, it skips blocks whose best element cannot be among the results. So it
// looks into few blocks, also if the elements are in ascending or descending order.
func First(v nd.View, keys *Keys, k int) []int {
	f := &firsts{Keys: keys, v: v.Raw(), k: min(k, v.Size())}
	f.limit.Store(math.MaxUint64)
	if f.k == 0 {
		return []int{}
	}
	f.extreme = extremeOf(v.Store.DType)
	nd.Must(0, f.v.Rows(func(first int, rows nd.View) error {
		f.add(first, rows)
		return nil
	}))
	all := f.finders[0]
	for _, m := range f.finders[1:] {
		all.found = append(all.found, m.found...)
	}
	slices.SortFunc(all.found, f.compare)
	positions := make([]int, f.k)
	for i := range positions {
		positions[i] = all.found[i].position
	}
	return positions
}

// firsts finds the first k elements of v.
type firsts struct {
	*Keys
	v       nd.View // without a Go type
	k       int
	extreme extreme       // nil if there is none for the dtype
	limit   atomic.Uint64 // elements with greater keys are not among the results

	mu      sync.Mutex
	finders []*finder // those not in use
}

// A finder has found elements in the blocks of one goroutine at a time.
type finder struct {
	found  []candidate
	worst  candidate // the last of the first k elements, if isFull
	isFull bool      // found has at least k elements, and others after worst are not results
	buf    []byte    // the elements of rows that are not consecutive in memory
	keys   []uint64
	best   []blockBest
}

// A candidate is an element that may be among the results.
type candidate struct {
	key      uint64 // its first key
	position int
}

// A blockBest is the least key of a block.
type blockBest struct {
	key   uint64
	first int // the number of the first element of the block
}

// screenedBytes is the number of bytes of a block that is skipped if its least key is greater than the limit. spare is
// the number of candidates to collect, in addition to twice the number of results, before the worst are removed.
const (
	screenedBytes = 2 << 10
	spare         = 512
)

// compare compares elements by their keys and their positions.
func (f *firsts) compare(a, b candidate) int {
	c := cmp.Compare(a.key, b.key)
	for column := 1; column < f.count && c == 0; column++ {
		c = cmp.Compare(f.keyAt(a.position, column), f.keyAt(b.position, column))
	}
	return cmp.Or(c, cmp.Compare(a.position, b.position))
}

// keyAt returns key number column of the element at a position.
func (f *firsts) keyAt(position, column int) uint64 {
	var key [1]uint64
	element := f.v.ElementBytes(position * f.v.Layout.Stride(0))
	f.Keys.keys(key[:], elements{p: strided.Start(element)}, column)
	return key[0]
}

// add adds the elements of rows. The first one has position first.
func (f *firsts) add(first int, rows nd.View) {
	m := f.take()
	defer f.give(m)
	n := rows.Size()
	p := m.elements(rows)
	perBlock := max(1, screenedBytes/max(1, f.itemSize))
	m.best = m.best[:0]
	for i := 0; i < n; i += perBlock {
		key := f.best(m, strided.Add(p, i*f.itemSize), min(perBlock, n-i))
		if f.mayContain(m, candidate{key, first + i}) {
			m.best = append(m.best, blockBest{key, i})
		}
	}
	slices.SortStableFunc(m.best, func(a, b blockBest) int { return cmp.Compare(a.key, b.key) })
	for _, b := range m.best {
		if !f.mayContain(m, candidate{b.key, first + b.first}) {
			continue
		}
		m.keys = slices.Grow(m.keys[:0], perBlock)
		keys := m.keys[:min(perBlock, n-b.first)]
		f.Keys.keys(keys, elements{p: strided.Add(p, b.first*f.itemSize), stride: f.itemSize}, 0)
		for i, key := range keys {
			c := candidate{key, first + b.first + i}
			if !f.mayContain(m, c) || m.isFull && f.compare(c, m.worst) > 0 {
				continue
			}
			if m.found = append(m.found, c); len(m.found) == 2*f.k+spare {
				f.compact(m)
			}
		}
	}
}

// mayContain reports whether elements that are not before c may be among the results. It looks at the first key of c
// and at its position.
func (f *firsts) mayContain(m *finder, c candidate) bool {
	if m.isFull && (c.key > m.worst.key || c.key == m.worst.key && f.count == 1 && c.position > m.worst.position) {
		return false
	}
	return c.key <= f.limit.Load()
}

// compact removes all candidates except the first k.
func (f *firsts) compact(m *finder) {
	slices.SortFunc(m.found, f.compare)
	m.found = m.found[:f.k]
	m.worst, m.isFull = m.found[f.k-1], true
	for limit := f.limit.Load(); m.worst.key < limit && !f.limit.CompareAndSwap(limit, m.worst.key); {
		limit = f.limit.Load()
	}
}

// take returns a finder that no other goroutine uses.
func (f *firsts) take() *finder {
	f.mu.Lock()
	defer f.mu.Unlock()
	last := len(f.finders) - 1
	if last < 0 {
		return new(finder)
	}
	m := f.finders[last]
	f.finders = f.finders[:last]
	return m
}

// give gives m back.
func (f *firsts) give(m *finder) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.finders = append(f.finders, m)
}

// elements returns the address of the elements of rows, without gaps: in memory, or copied to a buffer.
func (m *finder) elements(rows nd.View) pointer {
	size := rows.ItemSize()
	if a, ok := rows.Plain(); ok && (rows.Size() == 1 || a.Layout.Stride(0) == size) {
		return a.P
	}
	if n := rows.NBytes(); len(m.buf) < max(1, n) {
		m.buf = strided.Alloc(max(1, n))
	}
	rows.Decode(m.buf)
	return strided.Start(m.buf)
}

// best returns the least first key of n elements without gaps.
func (f *firsts) best(m *finder, p pointer, n int) uint64 {
	if f.extreme != nil && strided.Address(p)%uintptr(f.itemSize) == 0 {
		native := *f.Keys
		native.swap = false
		swap := 0
		if f.swap {
			swap = f.itemSize
		}
		if word, ok := f.extreme(p, n, swap, f.descending); ok {
			var key [1]uint64
			native.keys(key[:], elements{p: strided.Hide(pointer(&word))}, 0)
			if f.descending || key[0] <= f.greatest { // the least time is not NaT
				return key[0]
			}
		}
	}
	m.keys = slices.Grow(m.keys[:0], n)
	keys := m.keys[:n]
	f.Keys.keys(keys, elements{p: p, stride: f.itemSize}, 0)
	return slices.Min(keys)
}

// An extreme returns a word that contains the least of n numbers at p, or the greatest. ok is false if one is NaN. swap
// is as in package kernel.
type extreme func(p pointer, n, swap int, greatest bool) (word uint64, ok bool)

// extremeOf returns the extreme for elements of dtype d, or nil if Go has no such numbers.
func extremeOf(d dtype.DType) extreme {
	switch d = d.WithByteOrder(dtype.Native); d {
	case dtype.Int8:
		return extremeWord[int8]
	case dtype.Int16:
		return extremeWord[int16]
	case dtype.Int32:
		return extremeWord[int32]
	case dtype.Int64:
		return extremeWord[int64]
	case dtype.Uint8, dtype.Bool:
		return extremeWord[uint8]
	case dtype.Uint16:
		return extremeWord[uint16]
	case dtype.Uint32:
		return extremeWord[uint32]
	case dtype.Uint64:
		return extremeWord[uint64]
	case dtype.Float32:
		return extremeWord[float32]
	case dtype.Float64:
		return extremeWord[float64]
	}
	if elem.IsTime(d) {
		return extremeWord[int64]
	}
	return nil
}

func extremeWord[T kernel.Real](p pointer, n, swap int, greatest bool) (word uint64, ok bool) {
	x := kernel.Extreme(strided.Slice[T](p, n), swap, greatest)
	strided.Store(pointer(&word), 0, x)
	return word, x == x
}
