// Records keeps the trades of a .npy file that have at least a price, sorts them by time, and saves them:
// a structured array whose elements are a Go struct.
//
//	a = np.zeros(n, [("time", "M8[ms]"), ("symbol", "S4"), ("price", "f8"), ("size", "i4")])
//
//	go run ./examples/records 99.5 TRADES.npy KEPT.npy
//
// It prints nothing but errors; for a price below 0 write `records -- -1 IN OUT`. What is kept is
// in memory meanwhile, and has the dtype of the file: its fields in their order, its byte order,
// and its padding. So the result is made with the file's dtype, and copied to as structs: array.As
// finds fields by name, and CopyFrom goes by that. array.Convert and array.Copy, as NumPy's
// assignment, take them one by one in their order, and would put prices under the name of times
// where the struct has them in another order.
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
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
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
	f, err := open(in)
	if err != nil {
		return err
	}
	defer f.Close()
	if n := f.DType().NumField(); f.NDim() != 1 || n > 4 { // a field that trade has not would become zero
		return fmt.Errorf("%s: shape %v and %d fields; want one dimension and the 4 fields of a trade", in, f.Shape(), n)
	}
	v, err := array.As[trade](f.Array)
	if err != nil {
		return err
	}
	var kept []trade
	err = mmap.Guard(func() error { // page faults are errors
		kept = v.Take(nil, slices.Collect(v.Find(func(t trade) bool { return t.Price >= price })))
		return nil
	})
	if err = cmp.Or(err, f.Unchanged()); err != nil { // was it cut, or written to, while it was read?
		return err
	}
	slices.SortStableFunc(kept, func(a, b trade) int { return cmp.Compare(a.Time, b.Time) })
	g, err := array.New(f.DType(), index.C, len(kept))
	if err != nil {
		return err
	}
	defer g.Close()
	w, err := array.As[trade](g.Array)
	src, e := array.FromSlice(kept)
	if err = cmp.Or(err, e); err != nil {
		return err
	}
	if err := w.CopyFrom(src); err != nil { // field by field, by name
		return err
	}
	return save(out, force, g.Array)
}
