// Command where prints which NumPy the cross-checks run against, or how to have one. With -path it prints that
// Python's path alone, and fails where there is none.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/ndmap/ndmap/internal/oracle"
)

func main() {
	pathOnly := flag.Bool("path", false, "print the path of the Python that has NumPy")
	flag.Parse()
	if !*pathOnly {
		fmt.Println(oracle.Status())
		return
	}
	path, _, ok := oracle.Python()
	if !ok {
		fmt.Fprintln(os.Stderr, oracle.Status())
		os.Exit(1)
	}
	fmt.Println(path)
}
