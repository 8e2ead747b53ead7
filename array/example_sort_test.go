package array_test

import (
	"fmt"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// Sort the records of a file by one of their fields.
func ExampleArgSort() {
	type star struct {
		ID  int32   `npy:"id"`
		Mag float32 `npy:"mag"`
	}
	stars := check(array.FromSlice([]star{{7, 1.5}, {8, 2.5}, {9, 0.5}})).Array()
	order := check(array.ArgSort(check(stars.Field("mag"))))
	fmt.Println(order)
	fmt.Println(check(stars.Take(0, order)))
	// Output:
	// [2 0 1]
	// [(9, 0.5) (7, 1.5) (8, 2.5)]
}

// Find the brightest pixels of an image, and their coordinates.
func ExampleTopK() {
	image := check(array.FromSlice([]uint16{3, 900, 5, 4, 2, 950}, 2, 3)).Array()
	for _, i := range check(array.TopK(check(image.Ravel()), 2, false)) {
		pixel := make([]int, 2)
		index.Unravel(i, image.Shape(), pixel, index.C)
		fmt.Println(pixel, image.Index(pixel[0]).Index(pixel[1]))
	}
	// Output:
	// [1 2] 950
	// [0 1] 900
}

// Count the labels of a segmented image.
func ExampleUnique() {
	labels := check(array.New(dtype.Uint8, index.C, 2, 3))
	defer labels.Close()
	v := check(array.As[uint8](labels.Array))
	v.SetAt(4, 0, 1)
	v.SetAt(4, 1, 1)
	v.SetAt(2, 1, 2)
	values, counts, err := array.Unique(labels.Array)
	fmt.Println(values, counts, err)
	// Output: [0 2 4] [3 1 2] <nil>
}
