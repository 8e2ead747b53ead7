// Command link prints some elements of a file. TestLinking checks what the linker keeps.
package main

import (
	"fmt"
	"os"

	"github.com/ndmap/ndmap/array"
)

func run() error {
	f, err := array.Open(os.Args[1], array.ReadOnly)
	if err != nil {
		return err
	}
	defer f.Close()
	v, err := array.As[float64](f.Array)
	if err != nil {
		return err
	}
	fmt.Printf("%v %v %v\n%v\n", array.Sum[float64](v), array.Mean(v), array.Max(v), v)
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
