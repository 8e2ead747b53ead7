package array_test

import (
	"fmt"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
)

// The element is the first argument, before its indices.
func ExampleMatrix_SetAt() {
	v := check(array.FromSlice(make([]int, 6), 2, 3))
	m := check(v.Matrix())
	m.SetAt(7, 0, 2)
	vec := check(v.Index(1).Vector())
	vec.SetAt(8, 0)
	cube := check(check(v.Reshape(1, 2, 3)).Cube())
	cube.SetAt(9, 0, 1, 2)
	fmt.Println(check(v.Data()))
	// Output: [0 0 7 8 0 9]
}

// Raw returns a part of a matrix in the form that BLAS takes.
func ExampleMatrix_Raw() {
	v := check(array.FromSlice([]float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 3, 4))
	m := check(check(v.Select(index.Range(1, 3), index.Range(1, 3))).Matrix()) // v[1:3, 1:3]
	data, rows, cols, stride, ok := m.Raw()
	fmt.Println(data, rows, cols, stride, ok)
	// Output: [5 6 7 8 9 10] 2 2 4 true
}

// The element is the first argument, before any number of indices.
func ExampleView_SetAt() {
	v := check(array.FromSlice(make([]int, 6), 2, 3))
	v.SetAt(7, 0, 2)
	v.Index(1).SetAt(8, 0)
	fmt.Println(check(v.Data()))
	// Output: [0 0 7 8 0 0]
}
