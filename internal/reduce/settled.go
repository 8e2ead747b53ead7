package reduce

// A settler is states that may be known to stay as they are: of integers, booleans above all, there is none that is
// less than the least number of their type.
type settler interface {
	// settled reports whether no number at position pos or after it changes any of n states from at on.
	settled(at, n, pos int) bool
}

// isSettled reports whether the numbers of a tile, the first of which has position pos, change none of the states from
// at on.
func (w *worker) isSettled(e *engine, s settler, at, pos int) bool {
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

// areSettled reports whether no number changes any of n states from at on.
func (e *engine) areSettled(s states, at, n int) bool {
	may, ok := s.(settler)
	return ok && may.settled(at, n, 0)
}

func (s *extremes[T]) settled(at, n, pos int) bool {
	return T(1)/2 == 0 && s.both == nil && all(s.all()[at:at+n], s.last)
}

func (s *positions[T]) settled(at, n, pos int) bool {
	if T(1)/2 != 0 {
		return false
	}
	for i, x := range s.x[at : at+n] {
		if x != s.last || s.pos[at+i] >= int64(pos) {
			return false
		}
	}
	return true
}

// all reports whether all of s are x.
func all[T comparable](s []T, x T) bool {
	for _, y := range s {
		if y != x {
			return false
		}
	}
	return true
}
