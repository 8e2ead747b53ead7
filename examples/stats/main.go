// Stats prints statistics along the first axis of a .npy file, ignoring NaN. For a table, these are the statistics of
// each column.
//
//	$ go run ./examples/stats TABLE.npy
//	nan   [0 1 0]
//	min   [ 1.   0.5 -2. ]
//	max   [9.  4.  3.5]
//	mean  [5.   2.25 1.  ]
//	std   [2.5  1.25 0.5 ]
//
// A column of only NaN has NaN in all lines except the first. Each line takes a pass over the file, which may be larger
// than memory, using all cores. Min and max have the dtype of the file. Mean and std have the dtype of NumPy's results.
// For integers this is float64, which rounds integers beyond 2**53. array.OpMoments computes all five in one pass, but
// with min and max as float64.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/ndmap/ndmap/array"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: stats FILE") }
	if flag.Parse(); flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	text, err := stats(flag.Arg(0))
	if err == nil {
		_, err = fmt.Print(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stats:", err)
		os.Exit(1)
	}
}

func stats(path string) (string, error) {
	var text strings.Builder
	err := array.Use(path, func(f *array.File) error { // returns page faults, and changes to the file, as errors
		for _, op := range []array.Op{array.OpMoments, array.OpMin, array.OpMax, array.OpMean, array.OpStd} {
			result, err := array.Reduction{Op: op, Axes: []int{0}, SkipNaN: true}.Of(f.Array)
			if err != nil {
				return err // begins with the path
			}
			name := op.String()
			if op == array.OpMoments { // the operation that counts NaN
				name = "nan"
				if result, err = result.Field(name); err != nil {
					return err
				}
			}
			fmt.Fprintf(&text, "%-5s %v\n", name, result)
		}
		return nil
	})
	return text.String(), err
}
