// Parquet writes the records of a structured .npy file to a Parquet file. It uses blocks of a Go struct whose tags name
// the fields in both formats.
//
//	a = np.zeros(n, [("time", "M8[ms]"), ("symbol", "S4"), ("price", "f8"), ("size", "i4")])
//
//	go run . TRADES.npy TRADES.parquet
//
// It prints nothing except errors, and does not replace an existing file. The records may have either byte order, and
// may be packed or aligned. Memory holds one block, and the row group of the Parquet writer.
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

// A trade is a record of the .npy file, and a row of the Parquet file.
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

// convert writes the file out, which appears only when it is complete.
func convert(in, out string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	temp, err := os.CreateTemp(filepath.Dir(out), ".parquet-*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	err = array.Use(in, func(f *array.File) error { // returns page faults, and changes to the file, as errors
		v, err := array.As[trade](f.Array)
		if err != nil {
			return err
		}
		return write(ctx, temp, v)
	})
	if err = cmp.Or(err, temp.Sync(), temp.Close()); err != nil {
		return err
	}
	return os.Link(temp.Name(), out) // unlike a rename, fails if out exists
}

// write writes the records of v block by block.
func write(ctx context.Context, to io.Writer, v array.View[trade]) error {
	w := parquet.NewGenericWriter[trade](to)
	for block := range v.Blocks(index.C) {
		if _, err := w.Write(block); err != nil || ctx.Err() != nil {
			return cmp.Or(err, ctx.Err())
		}
	}
	return w.Close()
}
