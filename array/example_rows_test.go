package array_test

import (
	"context"
	"fmt"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
)

// The largest element of each row, by all cores.
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

// Temperatures that are stored as small integers, in hundredths of a degree from 273.15 on, as in NetCDF files.
func ExampleScaled() {
	stored := []int16{-1500, 0, 2125}
	v := check(array.Scaled[float64](check(array.FromSlice(stored)).Array(), 0.01, 273.15))
	fmt.Println(v)
	v.SetAt(300, 0)
	v.SetAt(1e6, 1) // out of range
	fmt.Println(stored)
	// Output:
	// [258.15 273.15 294.4 ]
	// [2685 32767 2125]
}

// A copy that ends when its context does.
func ExampleConfig_Copy() {
	ctx, cancel := context.WithCancel(context.Background())
	cfg := array.Config{Progress: func(done, total int64) error {
		fmt.Println(done, "of", total, "bytes")
		return ctx.Err()
	}}
	src, dst := check(array.FromSlice([]int32{1, 2, 3})), check(array.FromSlice(make([]float32, 3)))
	fmt.Println(cfg.Copy(dst.Array(), src.Array()))
	cancel()
	_, err := cfg.Clone(src.Array(), index.C)
	fmt.Println(err)
	// Output:
	// 0 of 12 bytes
	// 12 of 12 bytes
	// <nil>
	// 0 of 12 bytes
	// context canceled
}

// The median and a histogram of a file of any real numbers.
func ExampleConfig_Quantile() {
	a := check(array.FromSlice([]int16{3, 1, 2, 2})).Array()
	fmt.Println(array.Config{}.Quantile(a, 0.5))
	fmt.Println(array.Config{}.Histogram(a, []float64{1, 2, 3}))
	// Output:
	// [2] <nil>
	// [1 3] <nil>
}
