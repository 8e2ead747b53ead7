// Records selects the trades of a .npy file with at least a given price, sorts them by time, and saves them. The file
// is a structured array whose elements are read as a Go struct.
//
//	a = np.zeros(n, [("time", "M8[ms]"), ("symbol", "S4"), ("price", "f8"), ("size", "i4")])
//
//	go run ./examples/records 99.5 TRADES.npy KEPT.npy
//
// It prints nothing except errors. For a negative price write `records -- -1 IN OUT`. The selected records are kept in
// memory, with all fields of the file: array.As finds fields by name, and Find returns indices, which File.Take uses to
// copy the elements in the dtype of the file. So the result also keeps fields that the struct does not have, and the
// layout and byte order of the records.
//
// NaT is the smallest int64, so it sorts first, like NaN in cmp.Compare. np.sort puts both last.
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

// A trade is an element of the file. The tags give the names of its fields, and the dtypes of fields whose dtype has no
// Go type.
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
	err := array.Use(in, func(f *array.File) error { // returns page faults, and changes to the file, as errors
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
