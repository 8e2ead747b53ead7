package reduce

import (
	"math"

	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// extremes are the least numbers, the greatest, or both, and NaN if one is.
type extremes[T kernel.Real] struct {
	least, greatest []T // nil if nobody asks
	both            []T // of MinMax: first the least
	last            T   // of integers, if there is one of the two: none is less, or greater
}

func (s *extremes[T]) rows(at int, b *block) {
	for i := range b.m {
		r := row[T](b, i)
		for len(r) > 0 && !s.settled(at+i, 1, 0) {
			n := len(r)
			if T(1)/2 == 0 {
				n = min(n, kernel.L1Bytes)
			}
			switch some := r[:n]; {
			case s.greatest == nil:
				s.least[at+i] = min(s.least[at+i], kernel.Extreme(some, b.swap, false))
			case s.least == nil:
				s.greatest[at+i] = max(s.greatest[at+i], kernel.Extreme(some, b.swap, true))
			default:
				lo, hi := kernel.MinMax(some, b.swap)
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

func (s *extremes[T]) merge(at int, o states) {
	from := o.(*extremes[T])
	for i, x := range from.least {
		s.least[at+i] = min(s.least[at+i], x)
	}
	for i, x := range from.greatest {
		s.greatest[at+i] = max(s.greatest[at+i], x)
	}
}

// all returns the results.
func (s *extremes[T]) all() []T {
	switch {
	case s.both != nil:
		return s.both
	case s.least != nil:
		return s.least
	}
	return s.greatest
}

func (s *extremes[T]) results(e *engine) ([]byte, error) {
	all := s.all()
	for i := 0; i < len(all) && T(1)/2 != 0; i++ {
		if x := all[i]; x != x { // the bits of a NaN depend on the tiles
			all[i] = T(math.NaN())
		}
	}
	return strided.Bytes(all), nil
}

// resultsOf returns the results where so many NaNs were left out of each: NaN if there was
// nothing else.
func (s *extremes[T]) resultsOf(e *engine, left []int64) ([]byte, error) {
	all := s.all()
	for i, n := range left {
		if int(n) == e.count {
			all[i] = T(math.NaN())
		}
	}
	return strided.Bytes(all), nil
}

// positions are those of the least numbers, or the greatest: the first of several, and that of
// the first NaN if there is one.
type positions[T kernel.Real] struct {
	x    []T
	pos  []int64
	last T // of integers: none is less, or greater
	max  bool
}

// wins reports whether x at position p is to be state i.
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
	some := b.n
	if T(1)/2 == 0 && len(b.digits) == 1 && b.digits[0].step > 0 { // what comes later does not win
		some = kernel.L1Bytes
	}
	for i := range b.m {
		r := row[T](b, i)
		for from := 0; from < b.n; from += some {
			part := r[from:min(from+some, b.n)]
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
	const some = 16 // numbers that are compared one by one where SkipNotBetter stops
	xs, pos := s.x[at:at+b.n], s.pos[at:at+b.n]
	later := false // whether this row comes after all positions in pos, so that equal numbers do not win
	for i := range b.m {
		p := int64(b.position(i))
		if i < 2 && !later {
			_, last := kernel.MinMax(pos, 0)
			later = last < p
		}
		r := row[T](b, i)[:len(xs)]
		for j := 0; j < len(xs); {
			if later {
				j += kernel.SkipNotBetter(xs[j:], r[j:], b.swap, !s.max, b.stride)
			}
			end := min(j+some, len(xs))
			if later && T(1)/2 == 0 && b.swap == 0 {
				chooseInts(xs[j:end], pos[j:end], r[j:end], p, s.max)
				j = end
			}
			for ; j < end; j++ {
				x, y := kernel.Native(r[j], b.swap), xs[j]
				if s.max && x < y || !s.max && x > y || x == y && p >= pos[j] {
					continue
				}
				if s.wins(at+j, x, p) {
					xs[j], pos[j] = x, p
				}
			}
		}
	}
}

// chooseInts does what wins says to integers at a position that comes after those in pos, without a branch for each.
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

func (s *positions[T]) merge(at int, o states) {
	from := o.(*positions[T])
	for i, x := range from.x {
		if p := from.pos[i]; p != math.MaxInt64 && s.wins(at+i, x, p) {
			s.x[at+i], s.pos[at+i] = x, p
		}
	}
}

func (s *positions[T]) results(e *engine) ([]byte, error) { return strided.Bytes(s.pos), nil }

func (s *positions[T]) resultsOf(e *engine, left []int64) ([]byte, error) {
	for _, n := range left {
		if int(n) == e.count {
			return nil, ErrAllNaN
		}
	}
	return strided.Bytes(s.pos), nil
}

// counts are how many numbers are not 0.
type counts[T kernel.Real] struct{ n []int64 }

func (s *counts[T]) rows(at int, b *block) {
	for i := range b.m {
		s.n[at+i] += int64(kernel.Nonzero(row[T](b, i)))
	}
}

func (s *counts[T]) columns(at int, b *block) {
	kernel.CountNonzero[T](s.n[at:at+b.n], b.p, b.stride, b.m)
}

func (s *counts[T]) merge(at int, o states) {
	for i, n := range o.(*counts[T]).n {
		s.n[at+i] += n
	}
}

func (s *counts[T]) results(e *engine) ([]byte, error) { return strided.Bytes(s.n), nil }
