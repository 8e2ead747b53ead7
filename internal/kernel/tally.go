package kernel

import "unsafe"

// MostBounds is how many bounds a Tally has at most.
const MostBounds = 21

// A Tally counts how many numbers are less than each of some bounds. NaN is less than
// none.
type Tally[T int16 | uint16 | float64] struct {
	bounds [MostBounds]T
	counts [MostBounds][4]uint64 // in lanes: 8 of 32 bits for short integers
	plain  [MostBounds]int
}

// NewTally returns a Tally that counted nothing yet.
func NewTally[T int16 | uint16 | float64](bounds ...T) (t Tally[T]) {
	copy(t.bounds[:], bounds)
	return t
}

// Add counts s. A Tally has room for 2^32 numbers.
func (t *Tally[T]) Add(s []T) {
	done := tallyVector(t, s)
	for _, x := range s[done:] {
		for k, bound := range t.bounds {
			if x < bound {
				t.plain[k]++
			}
		}
	}
}

// Less returns how many numbers are less than bound k.
func (t *Tally[T]) Less(k int) int {
	n := t.plain[k]
	for _, c := range t.counts[k] {
		if unsafe.Sizeof(t.bounds[0]) == 2 {
			n += int(c>>32) + int(uint32(c))
		} else {
			n += int(c)
		}
	}
	return n
}
