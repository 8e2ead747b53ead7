// Parquet writes the records of a structured .npy file to a Parquet file: blocks of a Go struct
// whose tags say what its fields are called in either.
//
//	a = np.zeros(n, [("time", "M8[ms]"), ("symbol", "S4"), ("price", "f8"), ("size", "i4")])
//
//	go run . TRADES.npy TRADES.parquet
//
// It prints nothing but errors, and leaves a file that is there as it is. The records may be in
// either byte order, packed or aligned; memory is that of a block, and of the row group that the
// writer of Parquet keeps.
package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/parquet-go/parquet-go"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
)

// A trade is an element of the one file, and a row of the other.
type trade struct {
	Time   int64   `npy:"time,M8[ms]" parquet:"time,timestamp(millisecond)"`
	Symbol [4]byte `npy:"symbol,S4" parquet:"symbol"`
	Price  float64 `npy:"price" parquet:"price"`
	Size   int32   `npy:"size" parquet:"size"`
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: parquet IN.npy OUT.parquet")
		os.Exit(2)
	}
	if err := convert(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "parquet:", err)
		os.Exit(1)
	}
}

// convert makes the file out, which has its name when it is whole.
func convert(in, out string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	temp, err := os.CreateTemp(filepath.Dir(out), ".parquet-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	err = array.Use(in, func(f *array.File) error { // page faults are errors, and changes meanwhile
		v, err := array.As[trade](f.Array)
		if err != nil {
			return err
		}
		return write(ctx, temp, v)
	})
	if err = cmp.Or(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Link(temp.Name(), out) // unlike a rename, it replaces nothing
}

// write writes the records of v, a block at a time.
func write(ctx context.Context, to io.Writer, v array.View[trade]) error {
	w := parquet.NewGenericWriter[trade](to)
	for block := range v.Blocks(index.C) {
		if _, err := w.Write(block); err != nil || ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
	}
	return w.Close()
}
