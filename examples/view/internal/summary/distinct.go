package summary

import (
	"context"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
)

// MaxDistinct is the maximum number of values that Distinct returns.
const MaxDistinct = 20

// Whole reports whether elements of d are integers or bools.
func Whole(d dtype.DType) bool {
	return d.Kind() == dtype.KindInt || d.Kind() == dtype.KindUint || d.Kind() == dtype.KindBool
}

// Distinct returns the distinct values among the elements of a in ascending order, without NaN. If there are more than
// MaxDistinct values, it returns nil.
func Distinct(ctx context.Context, a pick.Array, read pick.Reading) ([]float64, error) {
	all := []float64{}
	err := eachSlab(ctx, a, read, func(float64) error { return nil }, func(v array.View[float64]) error {
		if len(all) > MaxDistinct || v.Size() == 0 {
			return nil
		}
		s, err := array.Reduce(v, func(block []float64) ([]float64, error) {
			s := []float64{}
			for i, x := range block {
				if len(s) > MaxDistinct {
					break
				}
				if x == x && (i == 0 || x != block[i-1]) {
					s = insert(s, x)
				}
			}
			return s, nil
		}, union)
		all = union(all, s)
		return err
	})
	if len(all) > MaxDistinct {
		return nil, err
	}
	return all, err
}

// insert inserts x into the ascending s, unless s already contains it.
func insert(s []float64, x float64) []float64 {
	if i, have := slices.BinarySearch(s, x); !have {
		return slices.Insert(s, i, x)
	}
	return s
}

// union returns the union of s and t. It may omit values if there are more than MaxDistinct.
func union(s, t []float64) []float64 {
	for _, x := range t {
		if len(s) <= MaxDistinct {
			s = insert(s, x)
		}
	}
	return s
}
