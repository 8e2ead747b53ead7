package compare

import (
	"math"
	"math/cmplx"

	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// compare compares up to runValues values, the first of which is number first of the leaf. Without marks it returns
// false at the first that differ; else it marks the elements that have them, and adds all distances to s.
func (p *Plan) compare(m *buffers, l *leaf, x, y Pointer, n int, s *Stats, first int, marks []bool) bool {
	v := values{Rule: p.Rule, s: s, first: first, count: l.count, marks: marks}
	size := 8
	if l.distance == distanceComplex {
		size = 16
	}
	x = widened(&l.widen, Pointer(&m.wide[0]), x, n, size, l.size)
	y = widened(&l.widen, Pointer(&m.wide[1]), y, n, size, l.size)
	switch l.distance {
	case distanceInt:
		return compareEach(&v, strided.Slice[int64](x, n), strided.Slice[int64](y, n), ofInts)
	case distanceUint:
		return compareEach(&v, strided.Slice[uint64](x, n), strided.Slice[uint64](y, n), ofUints)
	case distanceIntUint:
		return compareEach(&v, strided.Slice[int64](x, n), strided.Slice[uint64](y, n), ofIntAndUint)
	case distanceUintInt:
		return compareEach(&v, strided.Slice[uint64](x, n), strided.Slice[int64](y, n), ofUintAndInt)
	case distanceFloat:
		return compareFloats(&v, strided.Slice[float64](x, n), strided.Slice[float64](y, n))
	case distanceComplex:
		return compareEach(&v, strided.Slice[complex128](x, n), strided.Slice[complex128](y, n), ofComplex)
	default: // whose tolerance would have a unit
		v.RTol, v.ATol = 0, 0
		return compareEach(&v, strided.Slice[int64](x, n), strided.Slice[int64](y, n), ofTimes)
	}
}

// widened returns n values as the codec makes them, of size bytes.
func widened(c *elem.Codec, to, x Pointer, n, size, from int) Pointer {
	if c.IsPlain() && strided.Address(x)%8 == 0 {
		return x
	}
	c.Move(1, n, elem.Side{P: to, Item: size}, elem.Side{P: x, Item: from})
	return to
}

// values are those that compare compares.
type values struct {
	Rule
	s            *Stats
	first, count int
	marks        []bool
}

// A distance is how far two values are apart. d is 0 if they are equal, NaN if one of them is NaN, and infinite if one
// of them is, or if float64 has no room for it. y is the second value, by whose magnitude distances are measured.
type distance struct {
	d, y     float64
	both     bool // both are NaN
	infinite bool // one of them is infinite, and not equal to the other
}

// compareEach compares values of which a function knows the distance.
func compareEach[X, Y any](v *values, x []X, y []Y, of func(x X, y Y) distance) bool {
	for i := range x {
		at := of(x[i], y[i])
		if v.marks != nil {
			v.s.add(at.d, at.y)
		}
		if v.areEqual(at) {
			continue
		}
		if v.marks == nil {
			return false
		}
		v.marks[(v.first+i)/v.count] = true
	}
	return true
}

// areEqual reports whether values at that distance count as equal.
func (v *values) areEqual(at distance) bool {
	switch {
	case at.d == 0:
		return true
	case at.d != at.d:
		return at.both && v.EqualNaN
	}
	// The product is rounded before the sum, on every machine.
	return at.d <= v.ATol+float64(v.RTol*math.Abs(at.y)) && !at.infinite
}

// compareFloats is compareEach of floats, quick where they are close.
func compareFloats(v *values, x, y []float64) bool {
	if v.marks != nil {
		return compareEach(v, x, y, ofFloats)
	}
	y = y[:len(x)]
	for i, f := range x {
		g := y[i]
		if d := math.Abs(f - g); d <= v.ATol+float64(v.RTol*math.Abs(g)) && d <= math.MaxFloat64 {
			continue
		}
		if !v.areEqual(ofFloats(f, g)) {
			return false
		}
	}
	return true
}

func ofFloats(x, y float64) distance {
	if x == y {
		return distance{y: y}
	}
	return distance{math.Abs(x - y), y, x != x && y != y, math.IsInf(x, 0) || math.IsInf(y, 0)}
}

func ofInts(x, y int64) distance {
	d := uint64(x) - uint64(y)
	if x < y {
		d = -d
	}
	return distance{d: float64(d), y: float64(y)}
}

func ofUints(x, y uint64) distance {
	return distance{d: float64(max(x, y) - min(x, y)), y: float64(y)}
}

func ofIntAndUint(x int64, y uint64) distance {
	if x < 0 {
		return distance{d: float64(-uint64(x)) + float64(y), y: float64(y)}
	}
	return ofUints(uint64(x), y)
}

func ofUintAndInt(x uint64, y int64) distance {
	return distance{d: ofIntAndUint(y, x).d, y: float64(y)}
}

func ofComplex(x, y complex128) distance {
	if x == y {
		return distance{y: 1}
	}
	isNaN := func(z complex128) bool { return real(z) != real(z) || imag(z) != imag(z) }
	if a, b := isNaN(x), isNaN(y); a || b {
		return distance{d: math.NaN(), y: math.NaN(), both: a && b}
	}
	return distance{math.Hypot(real(x)-real(y), imag(x)-imag(y)), math.Hypot(real(y), imag(y)), false,
		cmplx.IsInf(x) || cmplx.IsInf(y)}
}

func ofTimes(x, y int64) distance {
	if a, b := x == math.MinInt64, y == math.MinInt64; a || b {
		return distance{d: math.NaN(), y: math.NaN(), both: a && b}
	}
	return ofInts(x, y)
}
