// Command where prints the version and the path of the NumPy that cross-checks run against, or how to install it. Its
// flags print other information:
//
//	where -path                      the path of the Python that has NumPy, or an error
//	where -left-out RUN PACKAGE...   the packages and tests that the run skips
//	where -long PACKAGE...           the tests that have a long form (NDMAP_LONG=1), as an argument of go test -run
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"

	"github.com/ndmap/ndmap/internal/oracle"
)

func main() {
	pathOnly := flag.Bool("path", false, "print the path of the Python that has NumPy")
	run := flag.String("left-out", "", "print the packages and tests that the `run` skips")
	longs := flag.Bool("long", false, "print the tests of packages that have a long form")
	flag.Parse()
	var err error
	switch {
	case *run != "":
		err = printLeftOut(os.Stdout, *run, flag.Args())
	case *longs:
		err = printLong(os.Stdout, flag.Args())
	case *pathOnly:
		path, _, ok := oracle.Python()
		if !ok {
			err = errors.New(oracle.Status())
			break
		}
		fmt.Println(path)
	default:
		fmt.Println(oracle.Status())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
