// Mean averages many pictures: it computes the mean along the first axis of a .npy file of any numbers, which may be
// larger than memory. It reads the file once, using all cores.
//
//	go run ./examples/mean STACK.npy MEAN.npy
//
// On a terminal, mean shows its progress. The result is computed in memory and then written as a whole: no new file is
// left after Ctrl-C, after an error, or if the disk is full. An existing file is replaced only with -force.
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
	if _, err := os.Lstat(out); err == nil && !force { // fail early; Convert would check only after the computation
		return &fs.PathError{Op: "create", Path: out, Err: fs.ErrExist}
	}
	r := array.Reduction{Op: array.OpMean, Axes: []int{0}, Progress: progress(ctx)} // or OpMax, OpStd, …
	var result array.Array                                                          // in memory; its dtype is float64 for integers, as in NumPy
	err := array.Use(in,
		func(f *array.File) (err error) { // returns page faults, and changes to the file, as errors
			result, err = r.Of(f.Array)
			return err
		})
	if err != nil {
		return err
	}
	return array.SaveConfig{Replace: force, Progress: progress(ctx)}.Convert(out, result, result.DType(), index.C)
}
