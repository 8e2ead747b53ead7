package array_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
)

// Find the largest element of each row on all cores.
func ExampleRows() {
	v := check(array.FromSlice([]float64{1, 5, 2, 9, 3, 4, 8, 7}, 4, 2))
	largest := make([]float64, v.Len(0))
	err := array.Rows(v, func(first int, rows array.View[float64]) error {
		for i, row := range rows.Axis(0) {
			largest[first+i] = array.Max(row)
		}
		return nil
	})
	fmt.Println(largest, err)
	// Output: [5 9 4 8] <nil>
}

// Compute a moving mean of three days on all cores. Windows are shorter at both ends.
func ExampleRowsHalo() {
	const n = 1 // one day before and one day after
	days := check(array.FromSlice([]float64{1, 2, 6, 4, 2}))
	means := make([]float64, days.Len(0))
	err := array.RowsHalo(days, n, func(first int, rows, halo array.View[float64]) error {
		before := min(first, n) // rows of halo before rows
		for i := range rows.Len(0) {
			lo, hi := max(0, before+i-n), min(halo.Len(0), before+i+n+1)
			means[first+i] = array.Mean(check(halo.Select(index.Range(lo, hi))))
		}
		return nil
	})
	fmt.Println(means, err)
	// Output: [1.5 3 4 4 3] <nil>
}

// Read temperatures that are stored as hundredths of a degree above 273.15 in small integers, as in NetCDF files.
func ExampleScaled() {
	stored := []int16{-1500, 0, 2125}
	v := check(array.Scaled[float64](check(array.FromSlice(stored)).Array(), 0.01, 273.15))
	fmt.Println(v)
	v.SetAt(300, 0)
	v.SetAt(1e6, 1) // out of range: stores the largest int16
	fmt.Println(stored)
	// Output:
	// [258.15 273.15 294.4 ]
	// [2685 32767 2125]
}

// Stop a copy when its context is done.
func ExampleCopyContext() {
	src, dst := check(array.FromSlice([]int32{1, 2, 3})), check(array.FromSlice(make([]float32, 3)))
	ctx, cancel := context.WithCancelCause(context.Background())
	fmt.Println(array.CopyContext(ctx, dst.Array(), src.Array()), dst)
	cancel(errors.New("interrupted"))
	fmt.Println(array.CopyContext(ctx, dst.Array(), src.Array()))
	// Output:
	// <nil> [1. 2. 3.]
	// array: copy: interrupted
}
