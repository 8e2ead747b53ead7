package summary

import (
	"context"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
)

// MaxDistinct is the maximum number of values that Distinct returns.
const MaxDistinct = 1024

// Whole reports whether elements of d are integers or bools.
func Whole(d dtype.DType) bool {
	return d.Kind() == dtype.KindInt || d.Kind() == dtype.KindUint || d.Kind() == dtype.KindBool
}

// Distinct returns the distinct values among the elements of a in ascending order, without NaN, and the number of
// elements with each value. If there are more than MaxDistinct values, it returns nil.
func Distinct(ctx context.Context, a pick.Array, read pick.Reading) (values []float64, counts []int64, err error) {
	all := tally{values: []float64{}, counts: []int64{}}
	err = eachSlab(ctx, a, read, func(float64) error { return nil }, func(v array.View[float64]) error {
		if all.tooMany() || v.Size() == 0 {
			return nil
		}
		t, err := array.Reduce(v, func(block []float64) (tally, error) {
			var t tally
			for i := 0; i < len(block) && !t.tooMany(); {
				end := i + 1 // the end of a run of equal values
				for end < len(block) && block[end] == block[i] {
					end++
				}
				if block[i] == block[i] {
					t.add(block[i], int64(end-i))
				}
				i = end
			}
			return t, nil
		}, tally.merge)
		all = all.merge(t)
		return err
	})
	if err != nil || all.tooMany() {
		return nil, nil, err
	}
	return all.values, all.counts, nil
}

// A tally counts elements with equal values. The values ascend. It has at most one value more than MaxDistinct.
type tally struct {
	values []float64
	counts []int64
}

func (t *tally) tooMany() bool { return len(t.values) > MaxDistinct }

// add counts n more elements with value x.
func (t *tally) add(x float64, n int64) {
	i, have := slices.BinarySearch(t.values, x)
	if !have {
		t.values, t.counts = slices.Insert(t.values, i, x), slices.Insert(t.counts, i, 0)
	}
	t.counts[i] += n
}

// merge adds the counts of u to t. It may omit values if there are more than MaxDistinct.
func (t tally) merge(u tally) tally {
	for i := 0; i < len(u.values) && !t.tooMany(); i++ {
		t.add(u.values[i], u.counts[i])
	}
	return t
}
