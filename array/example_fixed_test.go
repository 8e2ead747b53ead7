package array_test

import (
	"fmt"

	"github.com/ndmap/ndmap/array"
)

// The element comes last, after its indices, as in gonum.
func ExampleMatrix_Set() {
	v := check(array.FromSlice(make([]int, 6), 2, 3))
	m := check(v.Matrix())
	m.Set(0, 2, 7)
	vec := check(v.Index(1).Vector())
	vec.Set(0, 8)
	cube := check(check(v.Reshape(1, 2, 3)).Cube())
	cube.Set(0, 1, 2, 9)
	fmt.Println(check(v.Data()))
	// Output: [0 0 7 8 0 9]
}

// The element comes first, before any number of indices.
func ExampleView_SetAt() {
	v := check(array.FromSlice(make([]int, 6), 2, 3))
	v.SetAt(7, 0, 2)
	v.Index(1).SetAt(8, 0)
	fmt.Println(check(v.Data()))
	// Output: [0 0 7 8 0 0]
}
