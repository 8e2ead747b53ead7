package main

import (
	"os"
)

func Example() {
	if err := run(os.Stdout); err != nil {
		panic(err)
	}
	// Output:
	// C order, the last index fastest:
	// [0 0] 7
	// [0 1] 8
	// [0 2] 9
	// [1 0] 17
	// [1 1] 18
	// [1 2] 19
	// Fortran order, the first index fastest:
	// [0 0] 7
	// [1 0] 17
	// [0 1] 8
	// [1 1] 18
	// [0 2] 9
	// [1 2] 19
}
