package array_test

import (
	"fmt"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// Use returns an error if the file changes while it is read. The result is valid only if there is no error.
func ExampleUse() {
	path, remove := tempFile("t.npy")
	defer remove()
	fmt.Println(array.SaveSlice(path, []int16{1, 2, 3}))
	sum := 0.0
	err := array.Use(path, func(f *array.File) error {
		v, err := array.Cast[float64](f.Array) // numbers of any dtype
		if err == nil {
			sum = array.Sum[float64](v)
		}
		return err
	})
	fmt.Println(sum, err) // sum is valid only if err is nil
	// Output:
	// <nil>
	// 6 <nil>
}

// Make a file from another one. If an error occurs, or if the source has changed, the path is left unchanged.
func ExampleMake() {
	in, remove := tempFile("in.npy")
	defer remove()
	out, remove := tempFile("out.npy")
	defer remove()
	fmt.Println(array.SaveSlice(in, []int16{1, 2, 3}))
	err := array.Make(out, dtype.Float64, index.C, []int{3}, func(g *array.File) error {
		dst, err := array.As[float64](g.Array)
		if err != nil {
			return err
		}
		return array.Use(in, func(f *array.File) error {
			src, err := array.Cast[float64](f.Array)
			if err != nil {
				return err
			}
			return array.Map(dst, src, func(dst, src []float64) error {
				for i, x := range src {
					dst[i] = x * x
				}
				return nil
			})
		})
	})
	fmt.Println(err)
	fmt.Println(array.Use(out, func(f *array.File) error {
		_, err := fmt.Println(f)
		return err
	}))
	// Output:
	// <nil>
	// <nil>
	// [1. 4. 9.]
	// <nil>
}

// Replace a file by a new version with the z-scores of its columns. After an error, the file is unchanged.
func ExampleSaveConfig_CreatePending() {
	path, remove := tempFile("t.npy")
	defer remove()
	fmt.Println(array.SaveSlice(path, []float64{1, 2, 3, 10, 30, 20}, 2, 3))
	var g *array.File // of the shape of f
	err := array.Use(path, func(f *array.File) (err error) {
		g, err = array.SaveConfig{Replace: true}.CreatePending(path, f.DType(), f.Order(), f.Shape()...)
		if err != nil {
			return err
		}
		src, err := array.As[float64](f.Array)
		if err != nil {
			return err
		}
		dst, err := array.As[float64](g.Array)
		if err != nil {
			return err
		}
		result, err := array.Reduction{Op: array.OpMoments, Axes: []int{0}}.Of(f.Array)
		if err != nil {
			return err
		}
		columns, err := array.As[array.Moments](result)
		if err != nil {
			return err
		}
		return array.Map2(dst, src, columns, func(z, x []float64, m []array.Moments) error {
			for i := range z {
				z[i] = (x[i] - m[i].Mean) / m[i].Std(0)
			}
			return nil
		})
	})
	if g != nil {
		defer g.Close() // drops the new file unless it is committed
	}
	if err == nil { // Use has checked the source
		err = g.Commit()
	}
	fmt.Println(err)
	fmt.Println(g)
	// Output:
	// <nil>
	// <nil>
	// [[-1. -1. -1.]
	//  [ 1.  1.  1.]]
}

// Use files of equal shape as one array, along a new first axis.
func ExampleUseAll() {
	monday, remove := tempFile("monday.npy")
	defer remove()
	tuesday, remove := tempFile("tuesday.npy")
	defer remove()
	fmt.Println(array.SaveSlice(monday, []float64{1, 2, 3}), array.SaveSlice(tuesday, []float64{3, 4, 8}))
	var mean array.Array
	err := array.UseAll([]string{monday, tuesday}, func(days []array.Array) error {
		all, err := array.Stack(days...)
		if err == nil {
			mean, err = array.Reduction{Op: array.OpMean, Axes: []int{0}}.Of(all)
		}
		return err
	})
	fmt.Println(mean, err)
	// Output:
	// <nil> <nil>
	// [2.  3.  5.5] <nil>
}

// The slice contains the elements in C order.
func ExampleSaveSlice() {
	path, remove := tempFile("t.npy")
	defer remove()
	fmt.Println(array.SaveSlice(path, []float32{1, 2, 3, 4, 5, 6}, 2, 3)) // like np.save
	fmt.Println(array.SaveSlice(path, []float32{1, 2, 3, 4, 5}, 2, 3))
	// Output:
	// <nil>
	// array: shape mismatch: 5 elements do not fill shape (2, 3)
}
