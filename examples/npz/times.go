package main

import (
	"fmt"
	"math"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// greatest maps the size of a float in bytes to the largest finite float.
var greatest = map[int]float64{2: 65504, 4: math.MaxFloat32, 8: math.MaxFloat64}

// times returns a copy of a, an array of floats, multiplied by factor. It rejects integers, because products that are
// not integers, or out of range, could not be stored.
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
				return fmt.Errorf("%v times %v does not fit dtype %v", factor, x, a.DType())
			}
			dst[i] = y
		}
		return nil
	})
}
