package strided

import (
	"cmp"
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
)

// MayOverlap reports whether an element of p may share bytes with one of q.
//
// The result false is always correct. The result true is correct for two selections of one array with equal steps along
// each axis, and for two fields of its elements. In other cases true may be a guess, for example for columns 0, 2, 4
// and columns 3, 6, 9 of a matrix. The time grows with the square of the number of axes and does not depend on their
// lengths. MayOverlap allocates nothing for up to smallRank axes of each piece.
func MayOverlap(p, q Piece) bool {
	// Addresses, or their differences, are below 1<<63.
	return overlaps(p.Layout, 0, q.Layout, Distance(q.P, p.P), p.ItemSize, q.ItemSize)
}

// maxDistance is the maximum distance in bytes between two elements such that overlaps computes without overflow.
const maxDistance = 1 << 60

// A term describes an axis of one of two layouts, reversed if its stride is negative. Element i along the axis is
// stride*i bytes after the first element, and the last one is reach bytes after it.
type term struct {
	stride, reach int64
	side          int // the layout: 0 or 1
}

// overlaps does the work of MayOverlap for layouts whose first elements are aStart and bStart bytes after a common
// point.
//
// It processes the strides in descending order. Modulo the greatest common divisor of the larger strides, the axes with
// these strides make no difference, and each side lies in the range of bytes that its smaller strides reach. If the two
// ranges have no byte in common, neither have the layouts. If the ranges fit into one period, layouts that overlap also
// overlap without the larger strides, so these are dropped.
//
//	rows of 28 bytes, columns 0, 2, 4 and 1, 3, 5: terms 28, 28, 8, 8
//	modulo 28: bytes 0 to 20 and 4 to 24, which fit into 28: drop both axes of rows
//	modulo 8:  bytes 0 to 4 and 4 to 8: no overlap
func overlaps(a index.Layout, aStart int, b index.Layout, bStart int, itemA, itemB int) bool {
	switch {
	case a.Size() == 0, b.Size() == 0, itemA == 0, itemB == 0:
		return false
	case aStart == bStart:
		return true
	}
	var small [2 * smallRank]term
	terms := small[:0]
	farthest := math.Abs(float64(bStart)-float64(aStart)) + float64(itemA) + float64(itemB)
	length := [2]int64{int64(itemA), int64(itemB)} // the lengths of the ranges of bytes of both sides
	gap := int64(bStart) - int64(aStart)           // from the start of the first range to the start of the second
	for side, l := range [...]index.Layout{a, b} {
		for k := range l.NDim() {
			d := l.Dim(k)
			if d.Len < 2 || d.Stride == 0 {
				continue
			}
			t := term{int64(d.Stride), int64(d.Stride) * int64(d.Len-1), side}
			farthest += math.Abs(float64(d.Stride)) * float64(d.Len-1)
			if t.stride < 0 { // count from the last element
				gap += t.reach * int64(2*side-1)
				t.stride, t.reach = -t.stride, -t.reach
			}
			length[side] += t.reach
			terms = append(terms, t)
		}
	}
	switch {
	case farthest > maxDistance:
		return true // gap may have overflowed
	case gap >= length[0] || gap <= -length[1]:
		return false
	}
	slices.SortFunc(terms, func(s, t term) int { return cmp.Compare(t.stride, s.stride) })
	for period, k := int64(0), 0; k < len(terms); k++ {
		t := terms[k]
		length[t.side] -= t.reach
		period = gcd(period, t.stride)
		rest := length // the lengths without the smaller strides that are multiples of the period
		for _, t := range terms[k+1:] {
			if t.stride%period == 0 {
				rest[t.side] -= t.reach
			}
		}
		// The second range starts behind bytes after the start of the first one, and again ahead bytes before it.
		behind := (gap%period + period) % period
		ahead := period - behind
		switch {
		case behind >= rest[0] && ahead >= rest[1]:
			return false
		case behind+rest[1] <= period && rest[0] <= period:
			gap, period = behind, 0
		case ahead+rest[0] <= period && rest[1] <= period:
			gap, period = -ahead, 0
		}
	}
	return true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
