package array

import (
	"math"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/reduce"
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

var momentsType = nd.Must(dtype.Of[Moments]())

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
		if d-d != 0 { // infinite, or NaN
			m.M2 += n.M2 + reduce.SquareOf(m.Mean, n.Mean)
		} else {
			m.M2 += n.M2 + float64(float64(d*d)*(float64(m.Count)*share))
		}
		m.Mean = reduce.MeanOf(m.Mean, n.Mean, share)
		m.Count, m.Min, m.Max = count, min(m.Min, n.Min), max(m.Max, n.Max)
	}
	m.NaN = nan
}
