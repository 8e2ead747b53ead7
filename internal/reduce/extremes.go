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

func (s *extremes[T]) rows(at int, b *block) {
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

func (s *extremes[T]) columns(at int, b *block) {
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

func (s *positions[T]) rows(at int, b *block) {
	step := b.n
	if !isFloat[T]() && len(b.digits) == 1 &&
		b.digits[0].step > 0 { // positions ascend, so the rest of a row may be settled
		step = kernel.L1Bytes
	}
	for i := range b.m {
		r := row[T](b, i)
		for from := 0; from < b.n; from += step {
			part := r[from:min(from+step, b.n)]
			first := b.position(from)
			if from > 0 && s.settled(at+i, 1, first) {
				break
			}
			x := kernel.Extreme(part, b.swap, s.max)
			if s.wins(at+i, x, int64(first)) {
				if p := int64(b.position(from + kernel.FirstOf(part, x, b.swap))); s.wins(at+i, x, p) {
					s.x[at+i], s.pos[at+i] = x, p
				}
			}
		}
	}
}

func (s *positions[T]) columns(at int, b *block) {
	const run = 16 // numbers that are compared one by one after SkipNotBetter stops
	xs, pos := s.x[at:at+b.n], s.pos[at:at+b.n]
	isLater := false // whether p is greater than all positions in pos, so that equal numbers do not win
	for i := range b.m {
		p := int64(b.position(i))
		if i < 2 && !isLater {
			_, last := kernel.MinMax(pos, 0)
			isLater = last < p
		}
		r := row[T](b, i)[:len(xs)]
		for j := 0; j < len(xs); {
			if isLater {
				j += kernel.SkipNotBetter(xs[j:], r[j:], b.swap, !s.max, b.stride)
			}
			end := min(j+run, len(xs))
			if isLater && !isFloat[T]() && b.swap == 0 {
				chooseInts(xs[j:end], pos[j:end], r[j:end], p, s.max)
				j = end
			}
			for ; j < end; j++ {
				x, y := kernel.Native(r[j], b.swap), xs[j]
				if s.max && x < y || !s.max && x > y || x == y && p >= pos[j] { // most numbers; saves a call
					continue
				}
				if s.wins(at+j, x, p) {
					xs[j], pos[j] = x, p
				}
			}
		}
	}
}

// chooseInts replaces each number in xs by the integer in r at the same index if that is better, and sets its position
// to p. All positions in pos are less than p. The loops have conditional moves instead of branches.
func chooseInts[T kernel.Real](xs []T, pos []int64, r []T, p int64, max bool) {
	pos, r = pos[:len(xs)], r[:len(xs)]
	if max {
		for j, y := range xs {
			q := pos[j]
			if x := r[j]; x > y {
				y, q = x, p
			}
			xs[j], pos[j] = y, q
		}
		return
	}
	for j, y := range xs {
		q := pos[j]
		if x := r[j]; x < y {
			y, q = x, p
		}
		xs[j], pos[j] = y, q
	}
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

func (s *counts[T]) rows(at int, b *block) {
	for i := range b.m {
		s.n[at+i] += int64(kernel.Nonzero(row[T](b, i)))
	}
}

func (s *counts[T]) columns(at int, b *block) {
	kernel.CountNonzero[T](s.n[at:at+b.n], b.p, b.stride, b.m)
}

func (s *counts[T]) merge(at int, o accumulators) {
	for i, n := range o.(*counts[T]).n {
		s.n[at+i] += n
	}
}

func (s *counts[T]) results(e *engine, _ []int64) ([]byte, error) { return strided.Bytes(s.n), nil }
