// Demo writes the example arrays of package demo into a folder.
package main

import (
	"fmt"
	"os"

	"github.com/ndmap/ndmap/examples/view/internal/demo"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: demo FOLDER")
		os.Exit(2)
	}
	if err := demo.Write(os.Args[1], 1); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}
