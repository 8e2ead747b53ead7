package reduce

import (
	"math"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Moment is what Moments makes of numbers, as package array has it.
type Moment struct {
	Count, NaN         int64
	Min, Max, Mean, M2 float64
}

// moments are means and sums of squares of deviations. Blocks of numbers have theirs first, in
// two passes through the cache; then they are merged as Chan, Golub and LeVeque do
// (https://doi.org/10.1080/00031305.1983.10483115). All is less a number, the first there is,
// so that little is lost where numbers are large beside their deviation.
type moments struct {
	n, shift, mean []float64
	m2, lo         []float64 // in two parts, as floatSums
	skip           bool
	scratch        *scratch  // for the results
	min, max       []float64 // nil if nobody asks
	nan            []int64
}

// hasMoments reports whether the states are moments.
func (e *engine) hasMoments() bool {
	return e.work.Equal(dtype.Float64) && (e.Op == Var || e.Op == Std || e.Op == Moments)
}

func newMoments(m *scratch, n int, e *engine) states {
	floats := func() []float64 { return zeros[float64](m, n) }
	s := moments{n: floats(), shift: floats(), mean: floats(), m2: floats(), lo: floats(), skip: e.SkipNaN, scratch: m}
	if e.Op == Moments {
		s.skip = true
		s.min, s.max, s.nan = filled(m, n, math.Inf(1)), filled(m, n, math.Inf(-1)), zeros[int64](m, n)
	}
	return in(m, s)
}

func (s *moments) rows(at int, b *block) {
	for i := range b.m {
		r := row[float64](b, i)
		for len(r) > 0 {
			n := min(len(r), groupNumbers)
			s.row(at+i, r[:n], b.swap)
			r = r[n:]
		}
	}
}

func (s *moments) row(i int, r []float64, swap int) {
	if s.n[i] == 0 {
		s.shift[i] = shiftOf(kernel.Native(r[0], swap))
	}
	shift, n := s.shift[i], float64(len(r))
	mean := kernel.SumDeviations(r, shift, swap) / n
	if mean != mean && s.skip {
		s.some(i, r, 1, len(r))
		return
	}
	m2, lo := kernel.SumSquaredDeviations(r, shift+mean, swap)
	s.add(i, n, mean, m2, lo)
	if s.min != nil {
		lo, hi := kernel.MinMax(r, swap)
		s.min[i], s.max[i] = min(s.min[i], lo), max(s.max[i], hi)
	}
}

// some adds to state i the m numbers of s, step apart, that are not NaN.
func (s *moments) some(i int, r []float64, step, m int) {
	var kept [max(groupRows, groupNumbers)]float64
	n := 0
	for k := range m {
		if x := r[k*step]; x == x {
			kept[n] = x
			n++
		}
	}
	if s.nan != nil {
		s.nan[i] += int64(m - n)
	}
	if n == 0 {
		return
	}
	if s.n[i] == 0 {
		s.shift[i] = shiftOf(kept[0])
	}
	mean := kernel.SumDeviations(kept[:n], s.shift[i], 0) / float64(n)
	m2, lo := kernel.SumSquaredDeviations(kept[:n], s.shift[i]+mean, 0)
	s.add(i, float64(n), mean, m2, lo)
	if s.min != nil {
		lo, hi := kernel.MinMax(kept[:n], 0)
		s.min[i], s.max[i] = min(s.min[i], lo), max(s.max[i], hi)
	}
}

// shiftOf returns x, which is what numbers are taken less, or 0 where the sum of up to 512 such differences overflows,
// or x is NaN.
func shiftOf(x float64) float64 {
	if math.Abs(x) < 0x1p1014 {
		return x
	}
	return 0
}

// MeanOf returns the mean of numbers with mean x and others with mean y, which are that share of all.
func MeanOf(x, y, share float64) float64 {
	switch d := y - x; {
	case d-d == 0:
		return x + float64(d*share)
	case x-x == 0 && y-y == 0: // their difference overflows
		return float64(x*(1-share)) + float64(y*share)
	}
	return x + y
}

// SquareOf returns the square of the difference of two means where that is not finite: infinite if both means are
// finite, or NaN.
func SquareOf(x, y float64) float64 {
	if x-x == 0 && y-y == 0 {
		return math.Inf(1)
	}
	return math.NaN()
}

func (s *moments) columns(at int, b *block) {
	for i := 0; i < b.m; i += groupRows {
		m := min(groupRows, b.m-i)
		for j := 0; j < b.n; j += groupColumns {
			n := min(groupColumns, b.n-j)
			s.group(at+j, add(b.p, i*b.stride+8*j), b.stride, m, n, b.swap)
		}
	}
}

// group adds the n columns of m rows at p. If NaN is left out, swap is 0.
func (s *moments) group(at int, p pointer, stride, m, n, swap int) {
	var means, squares, lost, centers [groupColumns]float64
	shift := s.shift[at : at+n]
	for j, x := range strided.Slice[float64](p, n) {
		if s.n[at+j] == 0 {
			shift[j] = shiftOf(kernel.Native(x, swap))
		}
	}
	mean, m2, lo, center := means[:n], squares[:n], lost[:n], centers[:n]
	kernel.AddDeviations(mean, shift, p, stride, m, swap)
	of := float64(m)
	for j := range mean {
		mean[j] /= of
		center[j] = shift[j] + mean[j]
	}
	kernel.AddSquaredDeviations(m2, lo, center, p, stride, m, swap)
	sawNaN := false
	have, share, weight := -1.0, 0.0, 0.0 // of the columns before: most have as many numbers
	for j, x := range mean {
		i := at + j
		if x != x && s.skip {
			s.some(i, strided.Slice[float64](add(p, 8*j), 1+(m-1)*(stride/8)), stride/8, m)
			sawNaN = true
			continue
		}
		if n := s.n[i]; n != have {
			have, share = n, of/(n+of)
			weight = n * share
		}
		d := x - s.mean[i]
		if have == 0 || d-d != 0 {
			s.add(i, of, x, m2[j], lo[j])
			continue
		}
		s.n[i] += of
		s.mean[i] += float64(d * share)
		kernel.TwoSum(&s.m2[i], &s.lo[i], m2[j]+float64(float64(d*d)*weight))
		s.lo[i] += lo[j]
	}
	switch {
	case s.min == nil:
	case !sawNaN:
		kernel.LeastOf(s.min[at:at+n], p, stride, m, swap)
		kernel.GreatestOf(s.max[at:at+n], p, stride, m, swap)
	default:
		for j, x := range mean {
			for i := 0; i < m && x == x; i++ {
				y := strided.Load[float64](p, i*stride+8*j)
				s.min[at+j], s.max[at+j] = min(s.min[at+j], y), max(s.max[at+j], y)
			}
		}
	}
}

// add adds n numbers with that mean, less the shift, and that sum of squares in two parts to
// state i.
func (s *moments) add(i int, n, mean, m2, lo float64) {
	have := s.n[i]
	if have == 0 {
		s.n[i], s.mean[i], s.m2[i], s.lo[i] = n, mean, m2, lo
		return
	}
	all := have + n
	d := mean - s.mean[i]
	s.n[i] = all
	share := n / all
	if d-d != 0 { // infinite, or NaN
		s.m2[i] += m2 + SquareOf(s.mean[i], mean)
		s.mean[i] = MeanOf(s.mean[i], mean, share)
		return
	}
	s.mean[i] += float64(d * share)
	kernel.TwoSum(&s.m2[i], &s.lo[i], m2+float64(float64(d*d)*(have*share)))
	s.lo[i] += lo
}

func (s *moments) merge(at int, o states) {
	from := o.(*moments)
	for k, n := range from.n {
		i := at + k
		if from.nan != nil {
			s.nan[i] += from.nan[k]
			s.min[i], s.max[i] = min(s.min[i], from.min[k]), max(s.max[i], from.max[k])
		}
		switch {
		case n == 0:
		case s.n[i] == 0:
			s.n[i], s.shift[i], s.mean[i], s.m2[i], s.lo[i] = n, from.shift[k], from.mean[k], from.m2[k], from.lo[k]
		default:
			s.add(i, n, (from.shift[k]-s.shift[i])+from.mean[k], from.m2[k], from.lo[k])
		}
	}
}

// variance returns the variance of n numbers, whose squares add up to m2 and lo, and NumPy's
// where there are too few: if NaN was left out NaN, and otherwise a division by 0.
func (e *engine) variance(n, m2, lo float64) float64 {
	n -= float64(e.DDof)
	if n <= 0 && e.SkipNaN {
		return math.NaN()
	}
	v := m2 / max(n, 0)
	if rest := math.FMA(-v, n, m2) + lo; n > 0 && rest-rest == 0 {
		v += rest / n // rounded once
	}
	if e.Op == Std {
		return math.Sqrt(v)
	}
	return v
}

func (s *moments) results(e *engine) ([]byte, error) {
	if e.Op != Moments {
		for i, n := range s.n {
			s.m2[i] = e.variance(n, s.m2[i], s.lo[i])
		}
		return strided.Bytes(s.m2), nil
	}
	joined(s.m2, s.lo)
	all := zeros[Moment](s.scratch, len(s.n))
	for i, n := range s.n {
		all[i].NaN = s.nan[i]
		if n > 0 {
			all[i] = Moment{int64(n), s.nan[i], s.min[i], s.max[i], s.shift[i] + s.mean[i], s.m2[i]}
		}
	}
	return strided.Bytes(all), nil
}
