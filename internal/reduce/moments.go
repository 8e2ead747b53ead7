package reduce

import (
	"math"
	"math/bits"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Moment is the result of Moments. Its fields are the fields of array.Moments.
type Moment struct {
	Count, NaN         int64
	Min, Max, Mean, M2 float64
}

// moments are accumulators of means and sums of squared deviations. They add numbers in groups: two passes over a group
// in the cache compute its mean and squares. Then the group is merged by the formulas of Chan, Golub and LeVeque
// (https://doi.org/10.1080/00031305.1983.10483115). All means are relative to the first number, which keeps precision
// if the numbers are large and differ little.
type moments struct {
	n, shift, mean []float64
	m2, lo         []float64 // the sum of squares in two parts, like floatSums
	skip           bool      // leave out NaN
	scratch        *scratch  // for the results
	min, max       []float64 // only for Moments
	nan            []int64
}

// hasMoments reports whether e uses moments as accumulators.
func (e *engine) hasMoments() bool {
	return e.work.Equal(dtype.Float64) && (e.Op == Var || e.Op == Std || e.Op == Moments)
}

func newMoments(m *scratch, n int, e *engine) accumulators {
	s := emptyMoments(m, n)
	s.skip = e.SkipNaN || e.Op == Moments
	if e.Op == Moments {
		s.min, s.max, s.nan = filled(m, n, math.Inf(1)), filled(m, n, math.Inf(-1)), zeros[int64](m, n)
	}
	return reuse(m, s)
}

// emptyMoments returns n accumulators without minima and maxima that do not leave out NaN.
func emptyMoments(m *scratch, n int) moments {
	floats := func() []float64 { return zeros[float64](m, n) }
	return moments{n: floats(), shift: floats(), mean: floats(), m2: floats(), lo: floats(), scratch: m}
}

func (s *moments) addRows(at int, b *block) {
	for i := range b.m {
		for r := range slices.Chunk(row[float64](b, i), groupNumbers) {
			s.row(at+i, r, b.swap, s.skip)
		}
	}
}

// row adds r to accumulator i, without NaN if skip is true.
func (s *moments) row(i int, r []float64, swap int, skip bool) {
	if s.n[i] == 0 {
		s.shift[i] = shiftOf(kernel.Native(r[0], swap))
	}
	shift, n := s.shift[i], float64(len(r))
	mean := kernel.SumDeviations(r, shift, swap) / n
	if mean != mean && skip {
		s.addWithoutNaN(i, r, 1, len(r))
		return
	}
	m2, lo := kernel.SumSquaredDeviations(r, shift+mean, swap)
	s.add(i, n, mean, m2, lo)
	if s.min != nil {
		lo, hi := kernel.MinMax(r, swap)
		s.min[i], s.max[i] = min(s.min[i], lo), max(s.max[i], hi)
	}
}

// addWithoutNaN adds m numbers of r, step apart, to accumulator i. It leaves out NaN.
func (s *moments) addWithoutNaN(i int, r []float64, step, m int) {
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
	if n > 0 {
		s.row(i, kept[:n], 0, false)
	}
}

// shiftOf returns the shift, which is subtracted from all numbers. x is the first number. The shift is x, or 0 if x is
// NaN or if the sum of 512 differences from x could overflow.
func shiftOf(x float64) float64 {
	if math.Abs(x) < 0x1p1014 {
		return x
	}
	return 0
}

// MeanOf returns the mean of all numbers in two sets, whose means are x and y. share is the fraction of the numbers
// that are in the second set.
func MeanOf(x, y, share float64) float64 {
	switch d := y - x; {
	case d-d == 0:
		return x + float64(d*share)
	case x-x == 0 && y-y == 0: // their difference overflows
		return float64(x*(1-share)) + float64(y*share)
	}
	return x + y
}

// SquareOf returns the square of the difference of two means if the difference is not finite: +Inf if both means are
// finite, otherwise NaN.
func SquareOf(x, y float64) float64 {
	if x-x == 0 && y-y == 0 {
		return math.Inf(1)
	}
	return math.NaN()
}

func (s *moments) addColumns(at int, b *block) {
	for i := 0; i < b.m; i += groupRows {
		m := min(groupRows, b.m-i)
		for j := 0; j < b.n; j += groupColumns {
			n := min(groupColumns, b.n-j)
			s.addGroup(at+j, add(b.p, i*b.stride+8*j), b.stride, m, n, b.swap)
		}
	}
}

// addGroup adds the n columns of m rows at p to the accumulators starting at at. swap must be 0 if NaN is left out.
func (s *moments) addGroup(at int, p pointer, stride, m, n, swap int) {
	shift, rows := s.shift[at:at+n], float64(m)
	if !s.skip && allEqual(s.n[at:at+n], 0) { // nothing to merge with
		for j, x := range strided.Slice[float64](p, n) {
			shift[j], s.n[at+j] = shiftOf(kernel.Native(x, swap)), rows
		}
		addSquares(s.mean[at:at+n], s.m2[at:at+n], s.lo[at:at+n], shift, p, stride, m, swap)
		return
	}
	for j, x := range strided.Slice[float64](p, n) {
		if s.n[at+j] == 0 {
			shift[j] = shiftOf(kernel.Native(x, swap))
		}
	}
	var means, squares, lost [groupColumns]float64
	mean, m2, lo := means[:n], squares[:n], lost[:n]
	addSquares(mean, m2, lo, shift, p, stride, m, swap)
	sawNaN := false
	for j, x := range mean {
		if x != x && s.skip {
			s.addWithoutNaN(at+j, strided.Slice[float64](add(p, 8*j), 1+(m-1)*(stride/8)), stride/8, m)
			sawNaN = true
			continue
		}
		s.add(at+j, rows, x, m2[j], lo[j])
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

// addSquares computes the mean of each column of m rows at p, relative to the shift, and the sum of squares m2 + lo of
// its deviations. mean, m2 and lo must be zero.
func addSquares(mean, m2, lo, shift []float64, p pointer, stride, m, swap int) {
	var centers [groupColumns]float64
	center := centers[:len(mean)]
	kernel.AddDeviations(mean, shift, p, stride, m, swap)
	rows := float64(m)
	for j := range mean {
		mean[j] /= rows
		center[j] = shift[j] + mean[j]
	}
	kernel.AddSquaredDeviations(m2, lo, center, p, stride, m, swap)
}

// add adds n numbers to accumulator i. mean is relative to the shift, and the sum of squares is m2 + lo.
func (s *moments) add(i int, n, mean, m2, lo float64) {
	old := s.n[i]
	if old == 0 {
		s.n[i], s.mean[i], s.m2[i], s.lo[i] = n, mean, m2, lo
		return
	}
	all := old + n
	d := mean - s.mean[i]
	s.n[i] = all
	share := n / all
	if d-d != 0 { // infinite, or NaN
		s.m2[i] += m2 + SquareOf(s.mean[i], mean)
		s.mean[i] = MeanOf(s.mean[i], mean, share)
		return
	}
	s.mean[i] += float64(d * share)
	kernel.TwoSum(&s.m2[i], &s.lo[i], m2+float64(float64(d*d)*(old*share)))
	s.lo[i] += lo
}

func (s *moments) merge(at int, o accumulators) {
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

// variance returns the variance of n numbers, or its square root if e.Op is Std. Their sum of squared deviations is m2
// + lo. If there are too few numbers, it returns the same as NumPy: NaN if NaN is left out, otherwise the result of
// dividing by 0.
func (e *engine) variance(n, m2, lo float64) float64 {
	n -= float64(e.DDof)
	if n <= 0 && e.SkipNaN {
		return math.NaN()
	}
	v := m2 / max(n, 0)
	if rest := math.FMA(-v, n, m2) + lo; n > 0 && rest-rest == 0 {
		v += rest / n // the quotient is rounded once
	}
	if e.Op == Std {
		return math.Sqrt(v)
	}
	return v
}

func (s *moments) results(e *engine, _ []int64) ([]byte, error) {
	if e.Op != Moments {
		for i, n := range s.n {
			s.m2[i] = e.variance(n, s.m2[i], s.lo[i])
		}
		return strided.Bytes(s.m2), nil
	}
	addLow(s.m2, s.lo)
	all := zeros[Moment](s.scratch, len(s.n))
	for i, n := range s.n {
		all[i].NaN = s.nan[i]
		if n > 0 {
			all[i] = Moment{int64(n), s.nan[i], s.min[i], s.max[i], s.shift[i] + s.mean[i], s.m2[i]}
		}
	}
	return strided.Bytes(all), nil
}

// squares are accumulators of exact sums of short integers and of their squares. They compute variances of up to
// maxSquares numbers.
type squares[T int8 | int16 | uint8 | uint16] struct {
	sum     []int64
	squares []uint64
}

// maxSquares is the maximum number of squares of 32 bits whose sum fits 64 bits. The product of that sum and their
// number fits 128 bits.
const maxSquares = 1 << 31

func (s *squares[T]) addRows(at int, b *block) {
	for i := range b.m {
		sum, square := kernel.SumAndSquares(row[T](b, i))
		s.sum[at+i] += sum
		s.squares[at+i] += square
	}
}

func (s *squares[T]) addColumns(at int, b *block) {
	kernel.AddSquares[T](s.sum[at:at+b.n], s.squares[at:at+b.n], b.p, b.stride, b.m)
}

func (s *squares[T]) merge(at int, o accumulators) {
	from := o.(*squares[T])
	for i, x := range from.sum {
		s.sum[at+i] += x
		s.squares[at+i] += from.squares[i]
	}
}

// results computes n Σx² - (Σx)², which is n times the sum of squared deviations.
func (s *squares[T]) results(e *engine, _ []int64) ([]byte, error) {
	v, n := floatsFor(nil, s.sum), float64(e.count)
	for i, sum := range s.sum {
		x := uint64(max(sum, -sum))
		high, low := bits.Mul64(uint64(e.count), s.squares[i])
		high2, low2 := bits.Mul64(x, x)
		low, borrow := bits.Sub64(low, low2, 0)
		high, _ = bits.Sub64(high, high2, borrow)
		v[i] = e.variance(n, (float64(high)*0x1p64+float64(low))/n, 0)
	}
	return strided.Bytes(v), nil
}

// A meanStd is the result of Std in a Job that is WithMean.
type meanStd[T float64 | complex128] struct {
	Mean T
	Std  float64
}

var momentsType, meanStdType, complexMeanStdType = typeOf[Moment](), typeOf[meanStd[float64]](),
	typeOf[meanStd[complex128]]()

func typeOf[T any]() dtype.DType {
	d, err := dtype.Of[T]()
	if err != nil {
		panic(err)
	}
	return d
}

// stdAndMean holds accumulators for Std and for Mean. Both reduce the same boxes, but divide them into different tiles,
// so that the results equal the results of two separate Jobs. See [engine.tiles].
type stdAndMean struct {
	accumulators
	mean    accumulators
	scratch *scratch // for the results
}

func (s *stdAndMean) merge(at int, o accumulators) {
	from := o.(*stdAndMean)
	s.accumulators.merge(at, from.accumulators)
	s.mean.merge(at, from.mean)
}

func (s *stdAndMean) results(e *engine, _ []int64) ([]byte, error) {
	std, err := s.accumulators.results(e, nil)
	if err != nil {
		return nil, err
	}
	mean, err := s.mean.results(e.mean, nil)
	if err != nil {
		return nil, err
	}
	if e.work.Kind() == dtype.KindComplex {
		return meansAndStds[complex128](s.scratch, mean, std), nil
	}
	return meansAndStds[float64](s.scratch, mean, std), nil
}

// meansAndStds returns pairs of a mean, of type T, and a standard deviation, of type float64. The pairs are in the
// memory of m unless m is nil.
func meansAndStds[T float64 | complex128](m *scratch, means, stds []byte) []byte {
	n := len(stds) / 8
	both := zeros[meanStd[T]](m, n)
	for i, std := range strided.Slice[float64](strided.Start(stds), n) {
		both[i] = meanStd[T]{strided.Load[T](strided.Start(means), i*strided.Sizeof[T]()), std}
	}
	return strided.Bytes(both)
}

// cutMultiple returns the least common multiple of the lengths of the tiles of e and e.mean along axis k. Cutting a
// box at a multiple of cutMultiple does not change its tiles.
func (e *engine) cutMultiple(k int) int {
	t := e.plan.tile[k]
	if e.mean == nil {
		return t
	}
	a, b := t, e.mean.plan.tile[k]
	for b > 0 {
		a, b = b, a%b
	}
	return t / a * e.mean.plan.tile[k]
}
