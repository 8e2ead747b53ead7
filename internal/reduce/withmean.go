package reduce

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/strided"
)

// A MeanStd is the result of Std of real numbers in a Job that is WithMean.
type MeanStd struct{ Mean, Std float64 }

// A ComplexMeanStd is a MeanStd of complex numbers.
type ComplexMeanStd struct {
	Mean complex128
	Std  float64
}

var momentsType, meanStdType, complexMeanStdType = typeOf[Moment](), typeOf[MeanStd](), typeOf[ComplexMeanStd]()

func typeOf[T any]() dtype.DType {
	d, err := dtype.Of[T]()
	if err != nil {
		panic(err)
	}
	return d
}

// withMean has the states of Std, and those that a Job for Mean has. Both see the same boxes, each in its own tiles, so
// that the results are those of two Jobs. See [engine.tiles].
type withMean struct {
	states
	mean    states
	scratch *scratch // for the results
}

func (s *withMean) merge(at int, o states) {
	from := o.(*withMean)
	s.states.merge(at, from.states)
	s.mean.merge(at, from.mean)
}

func (s *withMean) results(e *engine) ([]byte, error) {
	std, err := s.states.results(e)
	if err != nil {
		return nil, err
	}
	mean, err := s.mean.results(e.mean)
	if err != nil {
		return nil, err
	}
	n := len(std) / 8
	deviations := strided.Slice[float64](strided.Start(std), n)
	if e.work.Kind() == dtype.KindComplex {
		both := zeros[ComplexMeanStd](s.scratch, n)
		for i, x := range strided.Slice[complex128](strided.Start(mean), n) {
			both[i] = ComplexMeanStd{x, deviations[i]}
		}
		return strided.Bytes(both), nil
	}
	both := zeros[MeanStd](s.scratch, n)
	for i, x := range strided.Slice[float64](strided.Start(mean), n) {
		both[i] = MeanStd{x, deviations[i]}
	}
	return strided.Bytes(both), nil
}

// step returns a number of elements along axis k that is a multiple of the tiles of e, and of those of its means: where
// a box is cut there, the tiles stay what they are.
func (e *engine) step(k int) int {
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
