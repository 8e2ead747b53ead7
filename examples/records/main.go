// Records keeps the trades of a .npy file that have at least a price, sorts them by time, and saves them:
// a structured array whose elements are a Go struct.
//
//	a = np.zeros(n, [("time", "M8[ms]"), ("symbol", "S4"), ("price", "f8"), ("size", "i4")])
//
//	go run ./examples/records 99.5 TRADES.npy KEPT.npy
//
// It prints nothing but errors; for a price below 0 write `records -- -1 IN OUT`. What is kept is
// in memory meanwhile, with all that it has in the file: array.As finds fields by name, and what is
// found are indices, by which File.Take copies the elements as they are, in the file's dtype. So fields
// that the struct has not are kept, too, in whatever order and byte order, and with their padding.
//
// A time that is NaT is the least int64 and comes first, as NaN does with cmp.Compare; np.sort has both
// last.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/ndmap/ndmap/array"
)

// A trade is an element: its fields have those names in the file. What has no type in Go has its dtype in the tag.
type trade struct {
	Time   int64   `npy:"time,M8[ms]"`
	Symbol [4]byte `npy:"symbol,S4"`
	Price  float64 `npy:"price"`
	Size   int32   `npy:"size"`
}

func main() {
	force := flag.Bool("force", false, "")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: records [-force] PRICE IN OUT") }
	if flag.Parse(); flag.NArg() != 3 {
		flag.Usage()
		os.Exit(2)
	}
	price, err := strconv.ParseFloat(flag.Arg(0), 64)
	if err != nil {
		err = fmt.Errorf("PRICE: %w", err)
	} else {
		err = filter(price, flag.Arg(1), flag.Arg(2), *force)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "records:", err)
		os.Exit(1)
	}
}

func filter(price float64, in, out string, force bool) error {
	var kept array.Array
	err := array.Use(in, func(f *array.File) error { // page faults are errors, and changes meanwhile
		v, err := array.As[trade](f.Array)
		if err != nil {
			return err
		}
		if v.NDim() != 1 {
			return fmt.Errorf("%s: shape %v; want one dimension", in, v.Shape())
		}
		rows := slices.Collect(v.Find(func(t trade) bool { return t.Price >= price }))
		slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(v.At(i).Time, v.At(j).Time) })
		kept, err = f.Take(0, rows) // a[rows]
		return err
	})
	if err != nil {
		return err
	}
	return save(out, force, kept)
}
