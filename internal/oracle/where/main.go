// Command where prints which NumPy the cross-checks run against, or how to have one. With a flag it prints something
// else:
//
//	where -path                      the path of the Python that has NumPy, or an error
//	where -left-out RUN PACKAGE...   the packages and tests that the run leaves out
//	where -long PACKAGE...           the tests that have a long form (NDMAP_LONG=1), as go test -run takes them
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
	run := flag.String("left-out", "", "print what the `run` leaves out of packages")
	longs := flag.Bool("long", false, "print the tests of packages that have a long form")
	flag.Parse()
	var err error
	switch {
	case *run != "":
		err = leftOut(os.Stdout, *run, flag.Args())
	case *longs:
		err = long(os.Stdout, flag.Args())
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
