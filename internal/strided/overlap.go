package strided

import (
	"math"

	"github.com/ndmap/ndmap/index"
)

// MayOverlap reports whether an element of p may share bytes with one of q. It
// allocates nothing for up to smallRank axes that differ.
//
// False is always right. True is a guess on the safe side where meet would take more than
// overlapSteps, which it never does for two layouts of one axis each, and for layouts that
// reach farther than mostReach; else it is right, too.
func MayOverlap(p, q Piece) bool {
	// Addresses are below 1<<63, or their distance from one another is.
	return overlaps(p.Layout, 0, q.Layout, Distance(q.P, p.P), p.ItemSize, q.ItemSize)
}

// overlaps is MayOverlap of layouts whose first elements start aStart and bStart bytes
// from some point.
//
// What is quick comes first: bounds that are apart, the same first byte, and layouts that
// keep to different bytes of each period of some stride, as even and odd columns do, the
// left and right half of a matrix, and two fields of a record. The time that this takes
// grows with the square of the number of axes, and not with their lengths.
func overlaps(a index.Layout, aStart int, b index.Layout, bStart int, itemA, itemB int) bool {
	if a.Size() == 0 || b.Size() == 0 || itemA == 0 || itemB == 0 {
		return false
	}
	if before(a, aStart, itemA, b, bStart) || before(b, bStart, itemB, a, aStart) {
		return false
	}
	if aStart == bStart {
		return true
	}
	all := 0 // the greatest common divisor of the strides
	for _, l := range [...]index.Layout{a, b} {
		for k := range l.NDim() {
			d := l.Dim(k)
			if d.Len < 2 || d.Stride == 0 {
				continue
			}
			period := abs(d.Stride)
			if apart(a, aStart, itemA, b, bStart, itemB, period) {
				return false
			}
			all = gcd(all, period)
		}
	}
	if all == 0 {
		return true // one element each, and not before one another
	}
	return !apart(a, aStart, itemA, b, bStart, itemB, all) && meet(a, aStart, itemA, b, bStart, itemB)
}

// before reports whether a ends where b starts or earlier.
func before(a index.Layout, aStart, itemA int, b index.Layout, bStart int) bool {
	_, hi := a.Bounds(itemA)
	lo, _ := b.Bounds(0)
	end, ok1 := add(aStart, hi)
	start, ok2 := add(bStart, lo)
	return ok1 && ok2 && hi < math.MaxInt && end <= start
}

// apart reports whether a and b keep to different bytes of each period. Seen
// modulo the period, axes whose strides it divides stand still, and what the
// others reach is a range of bytes.
func apart(a index.Layout, aStart, itemA int, b index.Layout, bStart, itemB int, period int) bool {
	aLo, aHi := within(a, itemA, period)
	bLo, bHi := within(b, itemB, period)
	p := uint(period)
	aLen, bLen := uint(aHi)-uint(aLo), uint(bHi)-uint(bLo)
	if aLen >= p || bLen > p-aLen {
		return false
	}
	// Where b begins in a period that begins with a.
	gap := minus(minus(mod(bStart, p), mod(-bLo, p), p), minus(mod(aStart, p), mod(-aLo, p), p), p)
	return gap >= aLen && gap <= p-bLen
}

// within returns the bounds of the axes whose strides the period does not divide.
func within(l index.Layout, itemsize, period int) (lo, hi int) {
	for k := range l.NDim() {
		d := l.Dim(k)
		switch {
		case d.Len < 2 || d.Stride%period == 0:
		case d.Stride < 0:
			lo += (d.Len - 1) * d.Stride
		default:
			hi += (d.Len - 1) * d.Stride
		}
	}
	if hi > math.MaxInt-itemsize {
		return lo, math.MaxInt
	}
	return lo, hi + itemsize
}

// add returns a+b and whether it fits an int.
func add(a, b int) (int, bool) {
	s := a + b
	return s, (s < a) == (b < 0)
}

// mod returns i modulo p, which is not negative.
func mod(i int, p uint) uint {
	if i < 0 {
		return minus(0, -uint(i)%p, p)
	}
	return uint(i) % p
}

// minus returns i-j modulo p, for i and j that are below p, which fits an int.
func minus(i, j, p uint) uint { return (i + p - j) % p }

func gcd[T int | int64](a, b T) T {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}
