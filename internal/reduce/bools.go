package reduce

// What booleans are reduced to is soon known: once there was a 0, nothing changes the least of them.

// A decider is states that may be known to stay as they are.
type decider interface {
	// decided reports whether no 0 or 1 at position pos or after it changes any of n states from at on.
	decided(at, n, pos int) bool
}

// decider returns s if its states are of booleans, and may be decided, else nil.
func (e *engine) decider(s states) decider {
	if !e.isBool {
		return nil
	}
	d, _ := s.(decider)
	return d
}

// isDecided reports whether the numbers of a tile, the first of which has position pos, change none of the states from
// at on.
func (w *worker) isDecided(e *engine, d decider, at, pos int) bool {
	n := 1
	for k, a := range e.axes {
		switch {
		case a.kept:
			n *= w.n[k]
		case a.posStep < 0:
			pos += (w.n[k] - 1) * a.posStep
		}
	}
	return d.decided(at, n, pos)
}

func (s *extremes[T]) decided(at, n, pos int) bool {
	return (s.least == nil || all(s.least[at:at+n], 0)) && (s.greatest == nil || all(s.greatest[at:at+n], 1))
}

func (s *positions[T]) decided(at, n, pos int) bool {
	last := T(0)
	if s.max {
		last = 1
	}
	for i, x := range s.x[at : at+n] {
		if x != last || s.pos[at+i] >= int64(pos) {
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
