package array_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// Arrays print as in NumPy. Other verbs format the elements.
func ExampleView_Format() {
	v := check(array.FromSlice([]float64{0, 0.5, 1, 1.5, 2, 2.5}, 2, 3))
	fmt.Println(v)
	fmt.Printf("%.2f\n", v.T())
	m := check(v.Matrix())
	fmt.Printf("%g\n", m)
	// Output:
	// [[0.  0.5 1. ]
	//  [1.5 2.  2.5]]
	// [[0.00 1.50]
	//  [0.50 2.00]
	//  [1.00 2.50]]
	// [[0 0.5 1]
	//  [1.5 2 2.5]]
}

// Printing a large file reads only its first and last elements. Printing a closed file reads no elements.
func ExampleArray_Format() {
	path, remove := tempFile("t.npy")
	defer remove()
	f := check(array.Create(path, dtype.MustParse("<i4"), index.C, 1000, 1000))
	show := func(format string) { // hides the name of the temporary folder
		name := strings.NewReplacer(strconv.Quote(path), `"t.npy"`, path, "t.npy")
		fmt.Println(name.Replace(fmt.Sprintf(format, f)))
	}
	show("%+v")
	f.Close()
	show("%v")
	show("%#v")
	// Output:
	// t.npy: dtype <i4, shape (1000, 1000), order C
	// [[0 0 0 ... 0 0 0]
	//  [0 0 0 ... 0 0 0]
	//  [0 0 0 ... 0 0 0]
	//  ...
	//  [0 0 0 ... 0 0 0]
	//  [0 0 0 ... 0 0 0]
	//  [0 0 0 ... 0 0 0]]
	// %!v(t.npy: file already closed)
	// array.Array{path: "t.npy", dtype: "<i4", shape: (1000, 1000), order: C}
}
