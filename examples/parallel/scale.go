package main

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
)

// scale sets dst to the numbers of src minus their mean, divided by their standard deviation. It returns an error once
// ctx is done.
func scale(ctx context.Context, dst array.View[float32], src array.View[float64]) error {
	// Subtract one of the numbers first. For numbers that are far from 0 and close to each other, such as times, the
	// differences are exact, while the mean of the squares minus the square of the mean would consist of rounding errors.
	var first float64
	for x := range src.Values() {
		if first = x; x == x {
			break
		}
	}
	m, err := array.Reduce(src, func(block []float64) (array.Moments, error) {
		less := make([]float64, len(block)) // a block must not be modified
		for i, x := range block {
			less[i] = x - first
		}
		v, err := array.FromSlice(less)
		if err != nil {
			return array.Moments{}, err
		}
		return array.MomentsOf(v), context.Cause(ctx)
	}, func(a, b array.Moments) array.Moments { a.Merge(b); return a })
	if err != nil {
		return err
	}
	std, kind := m.Std(0), src.DType().Kind()
	if src.Size() > 0 && !(std > 0 && std <= math.MaxFloat64) {
		return fmt.Errorf("the standard deviation is %v; want a positive, finite one", std)
	}
	if (kind == dtype.KindInt || kind == dtype.KindUint) && max(first+m.Max, -first-m.Min) >= 1<<53 {
		return errors.New("integers with a magnitude of 2**53 or more are not exact as float64")
	}
	return array.Map(dst, src, func(dst []float32, src []float64) error {
		for i, x := range src {
			dst[i] = float32((x - first - m.Mean) / std)
		}
		return context.Cause(ctx)
	})
}
