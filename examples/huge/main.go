// Huge creates a sparse .npy file of 4 GiB, which may be larger than memory and than the disk. It writes and sums a
// part of the file in place, and prints the peak memory that this took. The disk stores only the part that was written.
//
//	$ go run ./examples/huge HUGE.npy
//	sum of the written part: 255999.75
//	peak memory of this program: 16384 kB
//
// HUGE.npy appears only when it is complete: no file is left after Ctrl-C, after an error, or if the disk is full. An
// existing file is replaced only with -force. For a file that fits in memory see ../sine, and for a file computed from
// another see ../parallel.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

func main() {
	force := flag.Bool("force", false, "")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: huge [-force] FILE") }
	if flag.Parse(); flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := huge(ctx, os.Stdout, flag.Arg(0), 1<<20, *force); err != nil {
		fmt.Fprintln(os.Stderr, "huge:", err)
		os.Exit(1)
	}
}

// huge creates a file of rows × 512 float64.
func huge(ctx context.Context, w io.Writer, path string, rows int, force bool) error {
	cfg := array.SaveConfig{Replace: force, Sparse: true} // takes disk space only for the elements written
	var sum float64
	err := cfg.Make(path, dtype.Float64, index.C, []int{rows, 512}, func(f *array.File) (err error) {
		sum, err = fill(f.Array)               // a full disk is an error
		return cmp.Or(err, context.Cause(ctx)) // Ctrl-C; after an error, Make leaves no file
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "sum of the written part: %v\npeak memory of this program: %s\n", sum, peakMemory())
	return err
}

// fill writes 1000 rows in the middle of a and returns their sum.
func fill(a array.Array) (sum float64, err error) {
	v, err := array.As[float64](a)
	if err != nil {
		return 0, err
	}
	part, err := v.Select(index.Range(v.Len(0)/2, v.Len(0)/2+1000)) // a[n/2 : n/2+1000]
	if err != nil {
		return 0, err
	}
	part.Fill(0.5)
	part.SetAt(0.25, 999, 511)
	return array.Sum[float64](part), nil
}
