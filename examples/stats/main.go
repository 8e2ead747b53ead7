// Stats prints how the numbers along the first axis of a .npy file are distributed, NaN left out: of a
// table, of each column.
//
//	$ go run ./examples/stats TABLE.npy
//	nan   [0 1 0]
//	min   [ 1.   0.5 -2. ]
//	max   [9.  4.  3.5]
//	mean  [5.   2.25 1.  ]
//	std   [2.5  1.25 0.5 ]
//
// A column of nothing but NaN has NaN in every line but the first. Each line is a pass over the
// file, which may be larger than memory, on all cores. Mean and std are float64 (that of floats, as
// in NumPy), which rounds integers past 2**53; min and max are as in the file. array.OpMoments
// alone has all five in one pass, with a least and a greatest number that are float64, too.
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
	err := array.Use(path, func(f *array.File) error { // page faults are errors, and changes meanwhile
		for _, op := range []array.Op{array.OpMoments, array.OpMin, array.OpMax, array.OpMean, array.OpStd} {
			result, err := array.Reduction{Op: op, Axes: []int{0}, SkipNaN: true}.Of(f.Array)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			name := op.String()
			if op == array.OpMoments { // the one that counts NaN
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
