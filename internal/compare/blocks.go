package compare

import (
	"bytes"
	"sync"

	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// compareBytes is the number of bytes that are compared at a time. They are still in the first cache when they are
	// searched for NaN.
	compareBytes = 8 << 10

	// runValues is the maximum number of values whose distances are computed at a time, and markedElements the maximum
	// number of elements that are marked at a time.
	runValues      = 512
	markedElements = 256
)

// buffers hold values of both sides: in the common type, and (in wide) in the type in which distances are computed,
// which has up to 16 bytes.
type buffers struct {
	values [2][]byte
	wide   [2][2 * runValues]uint64
	marks  [markedElements]bool
	stats  Stats

	compared values
}

var pool = sync.Pool{New: func() any { return new(buffers) }}

// buffer returns a buffer of at least n bytes for values of a side.
func (m *buffers) buffer(side, n int) Pointer {
	if len(m.values[side]) < n {
		m.values[side] = strided.Alloc(max(n, compareBytes))
	}
	return strided.Start(m.values[side])
}

// Equal reports whether the n elements at a are equal to the n elements at b.
func (p *Plan) Equal(a, b Pointer, n int) bool {
	if len(p.leaves) == 0 {
		return true
	}
	m := pool.Get().(*buffers)
	defer pool.Put(m)
	step := max(1, compareBytes/max(1, p.asize, p.bsize))
	for i := 0; i < n; i += step {
		k := min(step, n-i)
		if x, y := strided.Add(a, i*p.asize), strided.Add(b, i*p.bsize); !p.equal(m, x, y, k, p.isSame(x, y, k)) {
			return false
		}
	}
	return true
}

// isSame reports whether n elements have the same bytes.
func (p *Plan) isSame(a, b Pointer, n int) bool {
	return p.same && bytes.Equal(strided.Slice[byte](a, n*p.asize), strided.Slice[byte](b, n*p.bsize))
}

// equal does the work of Equal for a few elements. If same is true, the elements of both sides have the same bytes.
func (p *Plan) equal(m *buffers, a, b Pointer, n int, same bool) bool {
	for k := range p.leaves {
		l := &p.leaves[k]
		if same && (p.EqualNaN || l.hasNaN == nil) {
			continue
		}
		ok := l.eachBlock(m, p, a, b, n, same, func(x, y Pointer, n, _ int) bool {
			if same {
				return !l.hasNaN(x, n*l.size)
			}
			return p.equalValues(m, l, x, y, n)
		})
		if !ok {
			return false
		}
	}
	return true
}

// eachBlock calls f with blocks of the values of a leaf in n elements, converted to the common type: x from a, and y
// from b. first is the number of values of the leaf before the block. If onlyA is true, y is x. eachBlock stops and
// returns false if f returns false.
func (l *leaf) eachBlock(m *buffers, p *Plan, a, b Pointer, n int, onlyA bool,
	f func(x, y Pointer, n, first int) bool) bool {
	return l.eachRepeat(l.repeats, strided.Add(a, l.aoff), strided.Add(b, l.boff), func(a, b Pointer) bool {
		for i := 0; i < n; i += l.rows {
			for j := 0; j < l.count; j += l.columns {
				r, c := min(l.rows, n-i), min(l.columns, l.count-j)
				x := l.decode(m, 0, &l.a, strided.Add(a, i*p.asize+j*l.a.SourceSize()), r, c, p.asize)
				y := x
				if !onlyA {
					y = l.decode(m, 1, &l.b, strided.Add(b, i*p.bsize+j*l.b.SourceSize()), r, c, p.bsize)
				}
				if !f(x, y, r*c, i*l.count+j) {
					return false
				}
			}
		}
		return true
	})
}

// eachRepeat calls f with the addresses of a leaf in each of the repeated structures, until f returns false. It reports
// whether all calls returned true.
func (l *leaf) eachRepeat(repeats []repeat, a, b Pointer, f func(a, b Pointer) bool) bool {
	if len(repeats) == 0 {
		return f(a, b)
	}
	r := repeats[0]
	for i := range r.n {
		if !l.eachRepeat(repeats[1:], strided.Add(a, i*r.astride), strided.Add(b, i*r.bstride), f) {
			return false
		}
	}
	return true
}

// decode converts count values from each of n elements, which are size bytes apart, to the common type, and returns the
// address of the results: p itself, or a buffer.
func (l *leaf) decode(m *buffers, side int, c *elem.Codec, p Pointer, n, count, size int) Pointer {
	if c.IsPlain() && (n == 1 || size == count*l.size) && strided.Address(p)%uintptr(l.align) == 0 {
		return p
	}
	to := m.buffer(side, n*count*l.size)
	c.Move(n, count, elem.Side{P: to, Row: count * l.size, Item: l.size}, elem.Side{P: p, Row: size, Item: c.SourceSize()})
	return to
}

// equalValues reports whether n values of the common type are equal.
func (p *Plan) equalValues(m *buffers, l *leaf, x, y Pointer, n int) bool {
	if !l.mixed && bytes.Equal(strided.Slice[byte](x, n*l.size), strided.Slice[byte](y, n*l.size)) {
		return p.EqualNaN || l.hasNaN == nil || !l.hasNaN(x, n*l.size)
	}
	if l.compare == nil || !l.mixed && l.hasNaN == nil && p.RTol == 0 && p.ATol == 0 {
		return false
	}
	for i := 0; i < n; i += runValues {
		if !p.compareValues(m, l, strided.Add(x, i*l.size), strided.Add(y, i*l.size), min(runValues, n-i), 0, nil) {
			return false
		}
	}
	return true
}

// Diff adds the differences between the n elements at a and the n elements at b to s. It calls found for the elements
// that differ, in order, until found returns false. found may be nil.
func (p *Plan) Diff(a, b Pointer, n int, s *Stats, found func(i int) bool) {
	m := pool.Get().(*buffers)
	defer pool.Put(m)
	m.stats = Stats{}
	step := max(markedElements, compareBytes/max(1, p.asize, p.bsize))
	for i := 0; i < n; i += step {
		k := min(step, n-i)
		x, y := strided.Add(a, i*p.asize), strided.Add(b, i*p.bsize)
		if p.isSame(x, y, k) && p.equal(m, x, y, k, true) { // all distances are 0
			continue
		}
		for j := 0; j < k; j += markedElements {
			marks := m.marks[:min(markedElements, k-j)]
			clear(marks)
			for l := range p.leaves {
				p.markDifferences(m, &p.leaves[l], strided.Add(x, j*p.asize), strided.Add(y, j*p.bsize), marks)
			}
			for at, differs := range marks {
				if !differs {
					continue
				}
				m.stats.Count++
				if found != nil && !found(i+j+at) {
					found = nil
				}
			}
		}
	}
	s.Merge(m.stats)
}

// markDifferences sets marks for the elements that differ in a leaf, and adds the distances to m.stats.
func (p *Plan) markDifferences(m *buffers, l *leaf, a, b Pointer, marks []bool) {
	l.eachBlock(m, p, a, b, len(marks), false, func(x, y Pointer, n, first int) bool {
		for i := 0; i < n; i += runValues {
			k := min(runValues, n-i)
			x, y := strided.Add(x, i*l.size), strided.Add(y, i*l.size)
			if l.compare != nil {
				p.compareValues(m, l, x, y, k, first+i, marks)
				continue
			}
			u, v := strided.Slice[byte](x, k*l.size), strided.Slice[byte](y, k*l.size)
			for j := range k {
				if !bytes.Equal(u[j*l.size:(j+1)*l.size], v[j*l.size:(j+1)*l.size]) {
					marks[(first+i+j)/l.count] = true
				}
			}
		}
		return true
	})
}
