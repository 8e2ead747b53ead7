package compare

import (
	"bytes"
	"math"
	"sync"

	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

const (
	// compareBytes is the number of bytes that are compared at a time. They are still in the first cache when they are
	// searched for NaN.
	compareBytes = 8 << 10
	// runValues is the number of values that are converted for distances at a time, and records the number of elements
	// that are marked at a time.
	runValues = 512
	records   = 256
)

// buffers have values of either side, and the same values converted to the type of their distances: at most 16 bytes
// each.
type buffers struct {
	values [2][]byte
	wide   [2][2 * runValues]uint64
	marks  [records]bool
}

var pool = sync.Pool{New: func() any { return new(buffers) }}

// room returns a buffer of that many bytes for values of a side.
func (m *buffers) room(side, n int) Pointer {
	if len(m.values[side]) < n {
		m.values[side] = strided.Alloc(max(n, compareBytes))
	}
	return strided.Start(m.values[side])
}

// Equal reports whether the n elements at a and those at b are equal.
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

// equal is Equal of a few elements, which have the same bytes if same is true.
func (p *Plan) equal(m *buffers, a, b Pointer, n int, same bool) bool {
	for k := range p.leaves {
		l := &p.leaves[k]
		if same && (p.EqualNaN || l.class == exact) {
			continue
		}
		ok := l.each(m, p, a, b, n, same, func(x, y Pointer, n, _ int) bool {
			if same {
				return !l.hasNaN(x, n)
			}
			return p.equalValues(m, l, x, y, n)
		})
		if !ok {
			return false
		}
	}
	return true
}

// each calls f with the values of a leaf of n elements, some at a time, as values of the common type, and the
// number of values before them in the element, or of elements. If onlyA is true, those of b are not wanted. It returns
// false when f does.
func (l *leaf) each(m *buffers, p *Plan, a, b Pointer, n int, onlyA bool, f func(x, y Pointer, n,
	first int) bool) bool {
	return l.repeated(l.repeats, strided.Add(a, l.aoff), strided.Add(b, l.boff), func(a, b Pointer) bool {
		if l.count*l.size > compareBytes { // of one element after the other
			for i := range n {
				step := compareBytes / l.size
				step = max(1, step)
				for j := 0; j < l.count; j += step {
					k := min(step, l.count-j)
					x := l.decode(m, 0, &l.a, strided.Add(a, i*p.asize+j*l.a.SourceSize()), 1, k, p.asize)
					y := x
					if !onlyA {
						y = l.decode(m, 1, &l.b, strided.Add(b, i*p.bsize+j*l.b.SourceSize()), 1, k, p.bsize)
					}
					if !f(x, y, k, i*l.count+j) {
						return false
					}
				}
			}
			return true
		}
		step := max(1, compareBytes/max(1, l.count*l.size))
		for i := 0; i < n; i += step {
			k := min(step, n-i)
			x := l.decode(m, 0, &l.a, strided.Add(a, i*p.asize), k, l.count, p.asize)
			y := x
			if !onlyA {
				y = l.decode(m, 1, &l.b, strided.Add(b, i*p.bsize), k, l.count, p.bsize)
			}
			if !f(x, y, k*l.count, i*l.count) {
				return false
			}
		}
		return true
	})
}

// repeated calls f at each of the repeats.
func (l *leaf) repeated(repeats []repeat, a, b Pointer, f func(a, b Pointer) bool) bool {
	if len(repeats) == 0 {
		return f(a, b)
	}
	r := repeats[0]
	for i := range r.n {
		if !l.repeated(repeats[1:], strided.Add(a, i*r.astride), strided.Add(b, i*r.bstride), f) {
			return false
		}
	}
	return true
}

// decode returns count values of each of n elements, of size bytes, in the common type.
func (l *leaf) decode(m *buffers, side int, c *elem.Codec, p Pointer, n, count, size int) Pointer {
	if c.IsPlain() && (n == 1 || size == count*l.size) && strided.Address(p)%uintptr(l.align) == 0 {
		return p
	}
	to := m.room(side, n*count*l.size)
	c.Move(n, count, elem.Side{P: to, Row: count * l.size, Item: l.size}, elem.Side{P: p, Row: size, Item: c.SourceSize()})
	return to
}

// hasNaN reports whether one of n values is NaN, or NaT.
func (l *leaf) hasNaN(x Pointer, n int) bool {
	switch l.class {
	case float32s:
		lo, _ := kernel.MinMax(strided.Slice[float32](x, n*l.parts), 0)
		return lo != lo
	case float64s:
		lo, _ := kernel.MinMax(strided.Slice[float64](x, n*l.parts), 0)
		return lo != lo
	case times:
		lo, _ := kernel.MinMax(strided.Slice[int64](x, n), 0)
		return lo == math.MinInt64
	}
	return false
}

// equalValues reports whether n values of the common type are equal.
func (p *Plan) equalValues(m *buffers, l *leaf, x, y Pointer, n int) bool {
	if l.class != mixed && bytes.Equal(strided.Slice[byte](x, n*l.size), strided.Slice[byte](y, n*l.size)) {
		return p.EqualNaN || !l.hasNaN(x, n)
	}
	if l.distance == distanceNone || l.class == exact && p.RTol == 0 && p.ATol == 0 {
		return false
	}
	for i := 0; i < n; i += runValues {
		if !p.compare(m, l, strided.Add(x, i*l.size), strided.Add(y, i*l.size), min(runValues, n-i), nil, 0, nil) {
			return false
		}
	}
	return true
}

// Diff adds to s how the n elements at a and those at b differ, and calls found, with growing numbers, for those that
// do, until it returns false.
func (p *Plan) Diff(a, b Pointer, n int, s *Stats, found func(i int) bool) {
	m := pool.Get().(*buffers)
	defer pool.Put(m)
	step := max(records, compareBytes/max(1, p.asize, p.bsize))
	for i := 0; i < n; i += step {
		k := min(step, n-i)
		x, y := strided.Add(a, i*p.asize), strided.Add(b, i*p.bsize)
		if p.isSame(x, y, k) && p.equal(m, x, y, k, true) { // no distance but 0
			continue
		}
		for j := 0; j < k; j += records {
			marks := m.marks[:min(records, k-j)]
			clear(marks)
			for l := range p.leaves {
				p.diff(m, &p.leaves[l], strided.Add(x, j*p.asize), strided.Add(y, j*p.bsize), len(marks), s, marks)
			}
			for at, differs := range marks {
				if !differs {
					continue
				}
				s.Count++
				if found != nil && !found(i+j+at) {
					found = nil
				}
			}
		}
	}
}

// diff marks those of n elements that differ in a leaf.
func (p *Plan) diff(m *buffers, l *leaf, a, b Pointer, n int, s *Stats, marks []bool) {
	l.each(m, p, a, b, n, false, func(x, y Pointer, n, first int) bool {
		for i := 0; i < n; i += runValues {
			k := min(runValues, n-i)
			x, y := strided.Add(x, i*l.size), strided.Add(y, i*l.size)
			if l.distance != distanceNone {
				p.compare(m, l, x, y, k, s, first+i, marks)
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
