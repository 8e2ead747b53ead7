package array_test

import (
	"fmt"
	"log"
	"math"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// Compute the mean and the standard deviation of a stack of images in one pass over its file. The deviations are stored
// in a file that NumPy reads.
func ExampleReduction() {
	path, remove := tempFile("stack.npy")
	defer remove()
	stack := check(array.Create(path, dtype.Uint16, index.C, 4, 2, 3)) // four images
	defer stack.Close()
	v := check(array.As[uint16](stack.Array))
	for i, image := range v.Axis(0) {
		image.Fill(uint16(40000 + 10*i))
	}

	r := array.Reduction{Op: array.OpMoments, Axes: []int{0}}
	moments := check(array.New(check(r.DType(stack.Array)), index.C, check(r.Shape(stack.Array))...))
	defer moments.Close()
	err := mmap.Guard(func() error { // returns page faults as errors
		return r.Into(moments.Array, stack.Array)
	})
	if err != nil {
		log.Fatal(err)
	}
	mean := check(moments.Field("mean")) // shares memory with moments
	deviation := check(array.Create(path+".std", dtype.Float32, index.C, mean.Shape()...))
	defer deviation.Close()
	image := check(array.As[float32](deviation.Array))
	for idx, m := range check(array.As[array.Moments](moments.Array)).All(index.C) {
		image.SetAt(float32(m.Std(1)), idx...)
	}
	fmt.Println(mean)
	fmt.Println(image)
	// Output:
	// [[40015. 40015. 40015.]
	//  [40015. 40015. 40015.]]
	// [[12.909945 12.909945 12.909945]
	//  [12.909945 12.909945 12.909945]]
}

// Merge the moments of parts, for example from several machines, into the moments of all elements.
func ExampleMoments_Merge() {
	v := check(array.FromSlice([]float32{1, 2, 3, float32(math.NaN()), 5, 7}))
	var all array.Moments
	for _, part := range v.Split(2) {
		all.Merge(array.MomentsOf(part))
	}
	fmt.Println(all.Count, all.NaN, all.Min, all.Max)
	fmt.Printf("%.4f ± %.4f\n", all.Mean, all.Std(1))
	// Output:
	// 5 1 1 7
	// 3.6000 ± 2.4083
}

// The type argument is the type of the sum, which may not fit the type of the elements.
func ExampleSum() {
	v := check(array.FromSlice([]uint16{60000, 60000, 7}))
	fmt.Println(array.Sum[int64](v), array.Mean(v), array.ArgMax(v))
	// Output: 120007 40002.333333333336 0
}

// Parse the name of an operation, for example from a command line.
func ExampleParseOp() {
	report := func(name string, a array.Array) error {
		op, err := array.ParseOp(name)
		if err != nil {
			return err
		}
		result, err := array.Reduction{Op: op, Axes: []int{0}}.Of(a)
		if err != nil {
			return err
		}
		fmt.Println(op, result)
		return nil
	}
	v := check(array.FromSlice([]float64{1, 2, 3, 5}, 2, 2))
	fmt.Println(report("mean", v.Array()))
	// Output:
	// mean [2.  3.5]
	// <nil>
}
