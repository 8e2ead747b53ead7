package main

import (
	"fmt"
	"math"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// greatest has the greatest number of the floats of so many bytes.
var greatest = map[int]float64{2: 65504, 4: math.MaxFloat32, 8: math.MaxFloat64}

// times returns a copy of a, which has floats, with all elements times factor. Integers it refuses: a product that
// is no integer, or out of their range, would be stored as another number.
func times(a array.Array, factor float64) (array.Array, error) {
	limit, ok := greatest[a.ItemSize()]
	if !ok || a.DType().Kind() != dtype.KindFloat {
		return a, fmt.Errorf("have dtype %v, want f2, f4 or f8", a.DType())
	}
	src, err := array.Cast[float64](a)
	if err != nil {
		return a, err
	}
	c, err := a.Clone(index.K)
	if err != nil {
		return c, err
	}
	dst, err := array.Cast[float64](c)
	if err != nil {
		return c, err
	}
	return c, array.Map(dst, src, func(dst, src []float64) error {
		for i, x := range src {
			y := factor * x
			if !(math.Abs(y) <= limit) && !math.IsInf(x, 0) && x == x {
				return fmt.Errorf("%v times %v is no number of dtype %v", factor, x, a.DType())
			}
			dst[i] = y
		}
		return nil
	})
}
