// Mean makes one picture of many: the mean along the first axis of a .npy file of any numbers, which may
// be larger than memory. It is read once, on all cores.
//
//	go run ./examples/mean STACK.npy MEAN.npy
//
// It shows how far it is, on a terminal. The result is made in memory, and then written whole or not at
// all: after Ctrl-C, an error, or where the disk is full, there is no new file. A file that is there is
// replaced only with -force.
package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
)

func main() {
	force := flag.Bool("force", false, "")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: mean [-force] IN OUT") }
	if flag.Parse(); flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := mean(ctx, flag.Arg(0), flag.Arg(1), *force); err != nil {
		fmt.Fprintln(os.Stderr, "mean:", err)
		os.Exit(1)
	}
}

func mean(ctx context.Context, in, out string, force bool) error {
	if _, err := os.Lstat(out); err == nil && !force { // Convert sees to it, but only when all is computed
		return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
	}
	r := array.Reduction{Op: array.OpMean, Axes: []int{0}, Progress: progress(ctx)} // or OpMax, OpStd, …
	var result array.Array                                                          // in memory, as NumPy: float64 for integers
	err := array.Use(in,
		func(f *array.File) (err error) { // page faults are errors, and changes meanwhile
			result, err = r.Of(f.Array)
			return err
		})
	if err != nil {
		return err
	}
	return array.SaveConfig{Replace: force, Progress: progress(ctx)}.Convert(out, result, result.DType(), index.C)
}
