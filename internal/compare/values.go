package compare

import (
	"math"
	"math/cmplx"

	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// compareValues compares up to runValues values of the common type, starting with value number first of the leaf. If
// marks is nil, it returns false if any values differ. Otherwise it marks the elements whose values differ, and adds
// all distances to m.stats.
func (p *Plan) compareValues(m *buffers, l *leaf, x, y Pointer, n, first int, marks []bool) bool {
	m.compared = values{Rule: p.Rule, stats: &m.stats, first: first, count: l.count, marks: marks}
	return l.compare(&m.compared, l.widened(&m.wide[0], x, n), l.widened(&m.wide[1], y, n), n)
}

// widened returns the address of n values of the common type, converted to the type in which distances are computed.
// The address is x itself, or buf.
func (l *leaf) widened(buf *[2 * runValues]uint64, x Pointer, n int) Pointer {
	if l.widen.IsPlain() && strided.Address(x)%8 == 0 {
		return x
	}
	l.widen.Move(1, n, elem.Side{P: Pointer(buf), Item: l.wideSize}, elem.Side{P: x, Item: l.size})
	return Pointer(buf)
}

// values holds the rule and the results of a comparison.
type values struct {
	Rule
	stats        *Stats
	first, count int // the number of the first value, and the number of values in an element
	marks        []bool
}

// A distance describes the difference between two values. d is 0 if they are equal, NaN if either is NaN, and infinite
// if either is infinite or their distance overflows a float64. Tolerances are relative to y, the second value.
type distance struct {
	d, y float64
	both bool // both values are NaN
	far  bool // no tolerance makes the values equal
}

// byDistance returns the function that compares values by their distances.
func byDistance[X, Y any](distanceOf func(x X, y Y) distance) func(v *values, x, y Pointer, n int) bool {
	return func(v *values, x, y Pointer, n int) bool {
		return compareEach(v, strided.Slice[X](x, n), strided.Slice[Y](y, n), distanceOf)
	}
}

// compareEach compares values by the distances that distanceOf returns.
func compareEach[X, Y any](v *values, x []X, y []Y, distanceOf func(x X, y Y) distance) bool {
	for i := range x {
		dist := distanceOf(x[i], y[i])
		if v.marks != nil {
			v.stats.add(dist.d, dist.y)
		}
		if v.areEqual(dist) {
			continue
		}
		if v.marks == nil {
			return false
		}
		v.marks[(v.first+i)/v.count] = true
	}
	return true
}

// areEqual reports whether values at a distance count as equal.
func (r *Rule) areEqual(dist distance) bool {
	switch {
	case dist.d == 0:
		return true
	case dist.d != dist.d:
		return dist.both && r.EqualNaN
	}
	// The conversion rounds the product before the addition, so that no machine fuses the two operations.
	return dist.d <= r.ATol+float64(r.RTol*math.Abs(dist.y)) && !dist.far
}

// compareFloats compares floats by their distances. It is fast if no marks are requested and the floats are close.
func compareFloats(v *values, px, py Pointer, n int) bool {
	x, y := strided.Slice[float64](px, n), strided.Slice[float64](py, n)
	y = y[:len(x)] // saves bounds checks
	if v.marks != nil {
		return compareEach(v, x, y, floatDistance)
	}
	for i, f := range x {
		g := y[i]
		if d := math.Abs(f - g); d <= v.ATol+float64(v.RTol*math.Abs(g)) && d <= math.MaxFloat64 {
			continue
		}
		if !v.areEqual(floatDistance(f, g)) {
			return false
		}
	}
	return true
}

func floatDistance(x, y float64) distance {
	if x == y {
		return distance{y: y}
	}
	return distance{math.Abs(x - y), y, x != x && y != y, math.IsInf(x, 0) || math.IsInf(y, 0)}
}

func intDistance(x, y int64) distance {
	d := uint64(x) - uint64(y)
	if x < y {
		d = -d
	}
	return distance{d: float64(d), y: float64(y)}
}

func uintDistance(x, y uint64) distance {
	return distance{d: float64(max(x, y) - min(x, y)), y: float64(y)}
}

func intUintDistance(x int64, y uint64) distance {
	if x < 0 {
		return distance{d: float64(-uint64(x)) + float64(y), y: float64(y)}
	}
	return uintDistance(uint64(x), y)
}

func uintIntDistance(x uint64, y int64) distance {
	return distance{d: intUintDistance(y, x).d, y: float64(y)}
}

func complexDistance(x, y complex128) distance {
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

// timeDistance returns a distance that no tolerance bridges, because a tolerance for times would need a unit.
func timeDistance(x, y int64) distance {
	if a, b := x == math.MinInt64, y == math.MinInt64; a || b {
		return distance{d: math.NaN(), y: math.NaN(), both: a && b}
	}
	dist := intDistance(x, y)
	dist.far = x != y
	return dist
}

// hasNaN returns the function that reports whether one of the floats of size bytes is NaN.
func hasNaN(size int) func(x Pointer, bytes int) bool {
	if size == 4 {
		return func(x Pointer, bytes int) bool {
			lo, _ := kernel.MinMax(strided.Slice[float32](x, bytes/4), 0)
			return lo != lo
		}
	}
	return func(x Pointer, bytes int) bool {
		lo, _ := kernel.MinMax(strided.Slice[float64](x, bytes/8), 0)
		return lo != lo
	}
}

// hasNaT reports whether one of the times is NaT, which is the least int64.
func hasNaT(x Pointer, bytes int) bool {
	lo, _ := kernel.MinMax(strided.Slice[int64](x, bytes/8), 0)
	return lo == math.MinInt64
}
