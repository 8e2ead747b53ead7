package reduce

import "github.com/ndmap/ndmap/internal/kernel"

// scrubbed are states that see another number in place of NaN, which is counted.
type scrubbed[T kernel.Float] struct {
	states
	left []int64
	fill T
}

func (s *scrubbed[T]) rows(at int, b *block) {
	for i := range b.m {
		s.left[at+i] += int64(replaceNaN(row[T](b, i), s.fill))
	}
	s.states.rows(at, b)
}

func (s *scrubbed[T]) columns(at int, b *block) {
	left := s.left[at : at+b.n]
	for i := range b.m {
		for j, x := range row[T](b, i) {
			if x != x {
				row[T](b, i)[j] = s.fill
				left[j]++
			}
		}
	}
	s.states.columns(at, b)
}

// replaceNaN makes NaN x, and returns how many there were.
func replaceNaN[T kernel.Float](s []T, x T) (n int) {
	for i, y := range s {
		if y != y {
			s[i] = x
			n++
		}
	}
	return n
}

func (s *scrubbed[T]) merge(at int, o states) {
	from := o.(*scrubbed[T])
	for i, n := range from.left {
		s.left[at+i] += n
	}
	s.states.merge(at, from.states)
}

func (s *scrubbed[T]) results(e *engine) ([]byte, error) {
	return s.states.(interface {
		resultsOf(e *engine, left []int64) ([]byte, error)
	}).resultsOf(e, s.left)
}
