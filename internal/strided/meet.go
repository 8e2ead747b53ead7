package strided

import (
	"cmp"
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
)

// An element of a, of itemA bytes from x on, and one of b, of itemB bytes from y on, share a byte if and
// only if y-x is from 1-itemB to itemA-1. Both x and y are a start plus strides times indices, and an index may be
// counted from either end; so all y-x are a number plus the sums
//
//	n1*z1 + n2*z2 + …, with 0 <= z1 <= most1, 0 <= z2 <= most2, …
//
// where n1, n2, … are the strides of both without their signs. Whether such a sum lies within bounds is hard to tell
// in general: it is the knapsack problem. But the terms of most layouts are larger than the sum of all smaller ones,
// which leaves one z or two to look at.

// A term is n*z, where z is from 0 to most.
type term struct {
	n, most int64
	sum     int64 // the largest sum of the terms after it
	divisor int64 // the greatest common divisor of those, 0 after the last
}

// overlapSteps is how many choices of a z meet looks at, which bounds its time.
const overlapSteps = 1 << 12

// mostReach is how far apart elements may be for meet to compute without overflow.
const mostReach = 1 << 60

// meet reports whether a and b, which have elements, share a byte. True may be a guess.
func meet(a index.Layout, aStart, itemA int, b index.Layout, bStart, itemB int) bool {
	var small [2 * smallRank]term
	terms := small[:0]
	apart, reach := math.Abs(float64(bStart)-float64(aStart)), 0.0
	from := int64(bStart) - int64(aStart) // y-x where all z are 0
	for side, l := range [...]index.Layout{a, b} {
		for k := range l.NDim() {
			d := l.Dim(k)
			if d.Len < 2 || d.Stride == 0 {
				continue
			}
			t := term{n: int64(d.Stride), most: int64(d.Len - 1)}
			reach += math.Abs(float64(t.n)) * float64(t.most)
			if side == 0 {
				t.n = -t.n // of y-x
			}
			if t.n < 0 { // count from the end
				from += t.n * t.most
				t.n = -t.n
			}
			terms = addTerm(terms, t)
		}
	}
	if apart+reach+float64(itemA)+float64(itemB) > mostReach {
		return true // from may have overflowed
	}
	sortTerms(terms)
	steps := overlapSteps
	return reaches(terms, int64(1-itemB)-from, int64(itemA+itemB-2), &steps)
}

// addTerm adds t to terms. Two with the same n are one.
func addTerm(terms []term, t term) []term {
	for k := range terms {
		if terms[k].n == t.n {
			terms[k].most += t.most
			return terms
		}
	}
	return append(terms, t)
}

// sortTerms sorts terms, the largest first, and sets what each has to know of those after it.
func sortTerms(terms []term) {
	slices.SortFunc(terms, func(s, t term) int { return cmp.Compare(t.n, s.n) })
	for k := len(terms) - 2; k >= 0; k-- {
		next := terms[k+1]
		terms[k].sum = next.sum + next.n*next.most
		terms[k].divisor = gcd(next.divisor, next.n)
	}
}

// reaches reports whether a sum of the terms, which are sorted, is one of the numbers from low to
// low+width. When steps are used up it returns true.
//
// It tries the z of the first term, but only those that the other terms may complete, by their largest sum and by
// their greatest common divisor. Where there is one other term, these are all that is asked of it: the first such
// z is a solution. So the time for two terms does not depend on their lengths.
func reaches(terms []term, low, width int64, steps *int) bool {
	if len(terms) == 0 {
		return low <= 0 && low+width >= 0
	}
	t := terms[0]
	// The other terms add 0 to t.sum.
	z, last := max(0, ceilDiv(low-t.sum, t.n)), min(t.most, floorDiv(low+width, t.n))
	if t.divisor == 0 {
		return z <= last
	}
	for z <= last {
		// They add a multiple of t.divisor, so modulo that t.n*z is within the bounds.
		step := firstWithin(t.n%t.divisor, t.divisor, modulo(low-t.n*z, t.divisor), width, last-z)
		if step < 0 {
			return false
		}
		z += step
		if *steps--; *steps < 0 || len(terms) == 2 || reaches(terms[1:], low-t.n*z, width, steps) {
			return true
		}
		z++
	}
	return false
}

// firstWithin returns the least x, from 0 to most, for which n*x modulo m is one of the numbers
// from low to low+width modulo m, or -1 if there is none. n and low are from 0 to m-1, and n*most does not
// overflow.
func firstWithin(n, m, low, width, most int64) int64 {
	if low == 0 || width >= m-low { // 0 is one of them
		return 0
	}
	if n == 0 {
		return -1
	}
	// The multiples of n pass the numbers once in each round of m. If none of the first round is one of them, then in
	// round r one is where m*r+low to m*r+low+width have a multiple of n. So modulo n, m*r is one of
	// the numbers from -low-width to -low: the same question for r, of smaller numbers, as in Euclid's algorithm.
	x := (low + n - 1) / n
	if x*n > low+width {
		r := firstWithin(m%n, n, modulo(-low-width, n), width, (n*most-low)/m)
		if r < 0 {
			return -1
		}
		x = (m*r + low + n - 1) / n
	}
	if x > most {
		return -1
	}
	return x
}

// modulo returns i modulo m, which is not negative.
func modulo(i, m int64) int64 {
	if i %= m; i < 0 {
		i += m
	}
	return i
}

// floorDiv returns i divided by n, which is positive, rounded down.
func floorDiv(i, n int64) int64 { return (i - modulo(i, n)) / n }

// ceilDiv returns i divided by n, which is positive, rounded up.
func ceilDiv(i, n int64) int64 { return -floorDiv(-i, n) }
