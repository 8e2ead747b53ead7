// Records keeps the trades of a .npy file that have at least a price, sorts them by time, and
// saves them: a structured array whose elements are a Go struct.
//
//	a = np.zeros(n, [("time", "M8[ms]"), ("symbol", "S4"), ("price", "f8"), ("size", "i4")])
//
// What is saved has the dtype of the file: its fields in their order, its byte order, and its
// padding. So the result is made with the file's dtype, and copied to as structs: array.As finds fields
// by name, and CopyFrom goes by that. array.Convert and array.Copy, as NumPy's assignment, take them one by one in their order,
// and would put prices under the name of times where the struct has them in another order.
//
// A time that is NaT is the least int64 and comes first, as NaN does with cmp.Compare; np.sort has both last.
package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A trade is an element. Fields are found by their names, wherever they are in the file, in either
// byte order; what has no type in Go is a number or bytes, with the dtype in the tag. A field of the
// file that trade left out would be zero in what is saved.
type trade struct {
	Time   int64   `npy:"time,M8[ms]"`
	Symbol [4]byte `npy:"symbol,S4"`
	Price  float64 `npy:"price"`
	Size   int32   `npy:"size"`
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: records PRICE IN OUT")
		os.Exit(2)
	}
	price, err := strconv.ParseFloat(os.Args[1], 64)
	if err == nil {
		err = filter(price, os.Args[2], os.Args[3])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "records:", err)
		os.Exit(1)
	}
}

func filter(price float64, in, out string) error {
	f, err := array.Open(in, mmap.ReadOnly)
	if err != nil {
		return err
	}
	defer f.Close()
	v, err := array.As[trade](f.Array)
	if err != nil {
		return err
	}
	var kept []trade
	err = mmap.Guard(func() error { // the file may be truncated meanwhile
		kept = v.Take(nil, slices.Collect(v.Where(func(t trade) bool { return t.Price >= price })))
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortStableFunc(kept, func(a, b trade) int { return cmp.Compare(a.Time, b.Time) })
	g, err := array.New(f.DType(), index.C, len(kept))
	if err != nil {
		return err
	}
	defer g.Close()
	w, err := array.As[trade](g.Array)
	if err != nil {
		return err
	}
	src, err := array.FromSlice(kept)
	if err != nil {
		return err
	}
	if err := w.CopyFrom(src); err != nil { // field by field, by name
		return err
	}
	return array.Save(out, g.Array)
}
