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
}

func (s *extremes[T]) rows(at int, b *block) {
	for i := range b.m {
		switch r := row[T](b, i); {
		case s.greatest == nil:
			s.least[at+i] = min(s.least[at+i], kernel.Extreme(r, b.swap, false))
		case s.least == nil:
			s.greatest[at+i] = max(s.greatest[at+i], kernel.Extreme(r, b.swap, true))
		default:
			lo, hi := kernel.MinMax(r, b.swap)
			s.least[at+i], s.greatest[at+i] = min(s.least[at+i], lo), max(s.greatest[at+i], hi)
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
	for i, x := range all {
		if x != x { // the bits of a NaN depend on the tiles
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
	x   []T
	pos []int64
	max bool
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
	first := int64(b.position(0))
	for i := range b.m {
		r := row[T](b, i)
		x := kernel.Extreme(r, b.swap, s.max)
		if s.wins(at+i, x, first) {
			if p := int64(b.position(kernel.FirstOf(r, x, b.swap))); s.wins(at+i, x, p) {
				s.x[at+i], s.pos[at+i] = x, p
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
			if later && strided.Sizeof[T]() == 1 {
				s.replace(r[j:end], xs[j:end], pos[j:end], p)
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

// replace has the numbers of r, at position p, replace those of xs that they win against, without a branch for each: of
// short integers, booleans above all, many do. All positions in pos are before p.
func (s *positions[T]) replace(r, xs []T, pos []int64, p int64) {
	xs, pos = xs[:len(r)], pos[:len(r)]
	if s.max {
		for j, x := range r {
			y, q := xs[j], pos[j]
			if x > y {
				q = p
			}
			xs[j], pos[j] = max(x, y), q
		}
		return
	}
	for j, x := range r {
		y, q := xs[j], pos[j]
		if x < y {
			q = p
		}
		xs[j], pos[j] = min(x, y), q
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
