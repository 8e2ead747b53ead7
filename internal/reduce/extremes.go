package reduce

import (
	"math"
	"slices"

	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// A settleable can report that further elements do not change its accumulators. For example, the minimum of integers is
// settled at the least number of their type, and All is settled at the first false.
type settleable interface {
	// settled reports whether elements at position pos and later cannot change the n accumulators from index at.
	settled(at, n, pos int) bool
}

// isSettled reports whether the elements of a tile cannot change the accumulators of the tile, which start at index at.
// pos is the position of the first element of the tile.
func (w *worker) isSettled(e *engine, s settleable, at, pos int) bool {
	n := 1
	for k, a := range e.axes {
		switch {
		case a.kept:
			n *= w.n[k]
		case a.posStep < 0:
			pos += (w.n[k] - 1) * a.posStep
		}
	}
	return s.settled(at, n, pos)
}

// areSettled reports whether no element can change the n accumulators from index at.
func (e *engine) areSettled(s accumulators, at, n int) bool {
	settles, ok := s.(settleable)
	return ok && settles.settled(at, n, 0)
}

// allEqual reports whether all elements of s equal x.
func allEqual[T comparable](s []T, x T) bool {
	for _, y := range s {
		if y != x {
			return false
		}
	}
	return true
}

// extremes are accumulators of the least or the greatest numbers, or both. An extreme is NaN if an element is NaN.
type extremes[T kernel.Real] struct {
	x               []T // all accumulators
	least, greatest []T // parts of x; nil if not wanted
	last            T   // for Min and Max of integers: no number changes an accumulator with this value
}

func (s *extremes[T]) addRows(at int, b *block) {
	for i := range b.m {
		r := row[T](b, i)
		for len(r) > 0 && !s.settled(at+i, 1, 0) {
			n := len(r)
			if !isFloat[T]() {
				n = min(n, kernel.L1Bytes)
			}
			switch part := r[:n]; {
			case s.greatest == nil:
				s.least[at+i] = min(s.least[at+i], kernel.Extreme(part, b.swap, false))
			case s.least == nil:
				s.greatest[at+i] = max(s.greatest[at+i], kernel.Extreme(part, b.swap, true))
			default:
				lo, hi := kernel.MinMax(part, b.swap)
				s.least[at+i], s.greatest[at+i] = min(s.least[at+i], lo), max(s.greatest[at+i], hi)
			}
			r = r[n:]
		}
	}
}

func (s *extremes[T]) addColumns(at int, b *block) {
	if s.least != nil {
		kernel.LeastOf(s.least[at:at+b.n], b.p, b.stride, b.m, b.swap)
	}
	if s.greatest != nil {
		kernel.GreatestOf(s.greatest[at:at+b.n], b.p, b.stride, b.m, b.swap)
	}
}

func (s *extremes[T]) merge(at int, o accumulators) {
	from := o.(*extremes[T])
	for i, x := range from.least {
		s.least[at+i] = min(s.least[at+i], x)
	}
	for i, x := range from.greatest {
		s.greatest[at+i] = max(s.greatest[at+i], x)
	}
}

func (s *extremes[T]) settled(at, n, pos int) bool {
	return !isFloat[T]() && (s.least == nil || s.greatest == nil) && allEqual(s.x[at:at+n], s.last)
}

// results returns the same NaN for every result that is NaN, and for results whose elements were all left out.
func (s *extremes[T]) results(e *engine, left []int64) ([]byte, error) {
	for i := 0; i < len(s.x) && isFloat[T](); i++ {
		if x := s.x[i]; x != x || i < len(left) && int(left[i]) == e.count {
			s.x[i] = T(math.NaN())
		}
	}
	return strided.Bytes(s.x), nil
}

// positions are accumulators of the positions of the least or the greatest numbers. Among equal numbers the first one
// wins. Any NaN wins over numbers, and the first NaN wins over later ones.
type positions[T kernel.Real] struct {
	x    []T
	pos  []int64
	last T // for integers: the number that no other number beats
	max  bool
}

// wins reports whether x at position p replaces accumulator i.
func (s *positions[T]) wins(i int, x T, p int64) bool {
	y := s.x[i]
	switch {
	case x == y:
		return p < s.pos[i]
	case x != x:
		return y == y || p < s.pos[i]
	case s.max:
		return x > y
	}
	return x < y
}

func (s *positions[T]) addRows(at int, b *block) {
	step := b.n
	if len(b.digits) == 1 && b.digits[0].step > 0 { // positions ascend
		step = positionBytes / strided.Sizeof[T]()
	}
	for i := range b.m {
		r := row[T](b, i)
		x, first := kernel.Extreme(r[:min(step, b.n)], b.swap, s.max), 0 // the run with the first extreme starts at first
		for from := step; from < b.n && x == x && (isFloat[T]() || x != s.last); from += step {
			y := kernel.Extreme(r[from:min(from+step, b.n)], b.swap, s.max)
			if y != y || s.max && y > x || !s.max && y < x {
				x, first = y, from
			}
		}
		if s.wins(at+i, x, int64(b.position(first))) {
			k := first + kernel.FirstOf(r[first:min(first+step, b.n)], x, b.swap)
			if p := int64(b.position(k)); s.wins(at+i, x, p) {
				s.x[at+i], s.pos[at+i] = x, p
			}
		}
	}
}

// addColumns finds the best number of each column, and then its row, if it may win. The numbers have their native byte
// order.
func (s *positions[T]) addColumns(at int, b *block) {
	var strip [positionColumns]T
	size := strided.Sizeof[T]()
	for lo := 0; lo < b.n; lo += positionColumns {
		n := min(positionColumns, b.n-lo)
		best, xs, pos := strip[:n], s.x[at+lo:][:n], s.pos[at+lo:][:n]
		p := add(b.p, lo*size)
		copy(best, xs)
		if s.max {
			kernel.GreatestOf(best, p, b.stride, b.m, 0)
		} else {
			kernel.LeastOf(best, p, b.stride, b.m, 0)
		}
		mayWin := func(j int) bool { return best[j] != xs[j] || int64(b.pos) < pos[j] }
		for j := 0; j < n; {
			if !mayWin(j) {
				j++
				continue
			}
			rows, end := [4]int{}, j+4
			if end <= n && mayWin(j+1) && mayWin(j+2) && mayWin(j+3) {
				rows = firstRows([4]T(best[j:]), add(p, j*size), b.stride, b.m)
			} else {
				rows[0], end = firstRow(best[j], add(p, j*size), b.stride, b.m), j+1
			}
			for _, row := range rows[:end-j] {
				if row < b.m {
					if q := int64(b.position(row)); s.wins(at+lo+j, best[j], q) {
						xs[j], pos[j] = best[j], q
					}
				}
				j++
			}
		}
	}
}

// firstRow returns the number of the first of m rows at p whose first number is x, or NaN if x is NaN. The rows are
// stride bytes apart. It returns m if no such row exists.
func firstRow[T kernel.Real](x T, p pointer, stride, m int) int {
	for i := range m {
		if y := strided.Load[T](p, i*stride); y == x || y != y && x != x {
			return i
		}
	}
	return m
}

// firstRows returns the results of firstRow for the first four columns at p. It has conditional moves instead of
// branches for each number.
func firstRows[T kernel.Real](x [4]T, p pointer, stride, m int) [4]int {
	size := strided.Sizeof[T]()
	if x[0] != x[0] || x[1] != x[1] || x[2] != x[2] || x[3] != x[3] {
		return [4]int{firstRow(x[0], p, stride, m), firstRow(x[1], add(p, size), stride, m),
			firstRow(x[2], add(p, 2*size), stride, m), firstRow(x[3], add(p, 3*size), stride, m)}
	}
	const group = 16
	rows := [4]int{m, m, m, m}
	for from := 0; from < m && max(rows[0], rows[1], rows[2], rows[3]) == m; from += group {
		a, b, c, d := m, m, m, m
		end := min(from+group, m)
		for i := end - 1; i >= from; i-- {
			q := add(p, i*stride)
			if strided.Load[T](q, 0) == x[0] {
				a = i
			}
			if strided.Load[T](q, size) == x[1] {
				b = i
			}
			if strided.Load[T](q, 2*size) == x[2] {
				c = i
			}
			if strided.Load[T](q, 3*size) == x[3] {
				d = i
			}
		}
		rows = [4]int{min(rows[0], a), min(rows[1], b), min(rows[2], c), min(rows[3], d)}
	}
	return rows
}

func (s *positions[T]) merge(at int, o accumulators) {
	from := o.(*positions[T])
	for i, x := range from.x {
		if p := from.pos[i]; p != math.MaxInt64 && s.wins(at+i, x, p) {
			s.x[at+i], s.pos[at+i] = x, p
		}
	}
}

func (s *positions[T]) settled(at, n, pos int) bool {
	if isFloat[T]() {
		return false
	}
	for i, x := range s.x[at : at+n] {
		if x != s.last || s.pos[at+i] >= int64(pos) {
			return false
		}
	}
	return true
}

func (s *positions[T]) results(e *engine, left []int64) ([]byte, error) {
	if slices.Contains(left, int64(e.count)) {
		return nil, ErrAllNaN
	}
	return strided.Bytes(s.pos), nil
}

// counts are accumulators of the number of elements that are not 0.
type counts[T kernel.Real] struct{ n []int64 }

func (s *counts[T]) addRows(at int, b *block) {
	for i := range b.m {
		s.n[at+i] += int64(kernel.Nonzero(row[T](b, i)))
	}
}

func (s *counts[T]) addColumns(at int, b *block) {
	kernel.CountNonzero[T](s.n[at:at+b.n], b.p, b.stride, b.m)
}

func (s *counts[T]) merge(at int, o accumulators) {
	for i, n := range o.(*counts[T]).n {
		s.n[at+i] += n
	}
}

func (s *counts[T]) results(e *engine, _ []int64) ([]byte, error) { return strided.Bytes(s.n), nil }
