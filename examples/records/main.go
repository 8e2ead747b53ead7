// Records keeps the trades of a .npy file that have at least a price, sorts them by time, and
// saves them: a structured array, packed as NumPy has it, whose elements are a Go struct.
//
//	a = np.zeros(n, [("time", "M8[ms]"), ("symbol", "S4"), ("price", "f8"), ("size", "i4")])
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
// byte order; what has no type in Go is a number or bytes, with the dtype in the tag.
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
	kept := v.Take(nil, slices.Collect(v.Where(func(t trade) bool { return t.Price >= price })))
	slices.SortStableFunc(kept, func(a, b trade) int { return cmp.Compare(a.Time, b.Time) })
	w, err := array.FromSlice(kept, len(kept))
	if err != nil {
		return err
	}
	packed, err := w.DType().Packed() // memory has the gaps of a Go struct, the file none
	if err != nil {
		return err
	}
	return array.Convert(out, w.Array(), packed, index.C)
}
