package array

import (
	"math"

	"github.com/ndmap/ndmap/dtype"
)

// Moments say what numbers are like. Those of parts combine by Merge, also where the parts are on different machines.
// [OpMoments] makes an array of them, a View[Moments] for [As]. The zero Moments are those of nothing, or NaN alone.
type Moments struct {
	Count int64   `npy:"count"` // of the numbers, NaN not among them
	NaN   int64   `npy:"nan"`   // how many there are of these
	Min   float64 `npy:"min"`   // 0, as all that follows, if Count is
	Max   float64 `npy:"max"`
	Mean  float64 `npy:"mean"`
	M2    float64 `npy:"m2"` // the sum of the squares of what the numbers differ from the mean
}

var momentsType = must(dtype.Of[Moments]())

// Var returns M2 divided by Count - ddof, and NaN if that is not positive.
func (m *Moments) Var(ddof int) float64 {
	if n := m.Count - int64(ddof); n > 0 {
		return m.M2 / float64(n)
	}
	return math.NaN()
}

// Std returns the standard deviation, the square root of Var.
func (m *Moments) Std(ddof int) float64 { return math.Sqrt(m.Var(ddof)) }

// Merge adds the numbers of n to those of m, in any order up to rounding.
func (m *Moments) Merge(n Moments) {
	nan := m.NaN + n.NaN
	switch {
	case n.Count == 0:
	case m.Count == 0:
		*m = n
	default:
		count := m.Count + n.Count
		d, share := n.Mean-m.Mean, float64(n.Count)/float64(count)
		switch {
		case d-d == 0:
			m.Mean += float64(d * share)
			m.M2 += n.M2 + float64(float64(d*d)*(float64(m.Count)*share))
		case m.Mean-m.Mean == 0 && n.Mean-n.Mean == 0: // their difference overflows
			m.Mean, m.M2 = float64(m.Mean*(1-share))+float64(n.Mean*share), m.M2+n.M2+math.Inf(1)
		default: // infinite, or NaN
			m.Mean, m.M2 = m.Mean+n.Mean, math.NaN()
		}
		m.Count, m.Min, m.Max = count, min(m.Min, n.Min), max(m.Max, n.Max)
	}
	m.NaN = nan
}
