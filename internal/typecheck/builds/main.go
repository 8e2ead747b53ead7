// Command builds type-checks all packages of this module, and their tests with -test, for the given platforms:
//
//	go run ./internal/typecheck/builds plan9/amd64 wasip1/wasm
package main

import (
	"flag"
	"fmt"
	"log"

	"github.com/ndmap/ndmap/internal/typecheck"
)

func main() {
	log.SetFlags(0)
	tests := flag.Bool("test", false, "check tests, too")
	flag.Parse()
	packages, err := typecheck.Packages(".", flag.Args(), []string{fmt.Sprint("-test=", *tests), "./..."})
	if err != nil {
		log.Fatal(err)
	}
	for i, platform := range flag.Args() {
		fmt.Printf("types on %s: %d packages\n", platform, len(packages[i]))
	}
}
