// Parallel converts the numbers of a .npy file to float32 with mean 0 and standard deviation 1. It makes two passes
// over blocks of elements, using all cores.
//
//	go run ./examples/parallel IN.npy OUT.npy
//
// The passes are in scale.go. It prints nothing except errors. NaN stays NaN and does not count. Both files may be
// larger than memory. The new file is created on disk and appears only when it is complete: no file is left after
// Ctrl-C, after an error, or if the disk is full. To write an array that fits in memory, use SaveConfig.Convert: see
// ../mean. To convert a file without computing, see ../convert.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	force := flag.Bool("force", false, "")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: parallel [-force] IN OUT") }
	if flag.Parse(); flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := normalize(ctx, flag.Arg(0), flag.Arg(1), *force); err != nil {
		fmt.Fprintln(os.Stderr, "parallel:", err)
		os.Exit(1)
	}
}

func normalize(ctx context.Context, in, out string, force bool) error {
	var order index.Order
	var shape []int
	err := array.Use(in, func(f *array.File) error {
		order, shape = f.Order(), f.Shape()
		return nil
	})
	if err != nil {
		return err
	}
	cfg := array.SaveConfig{Replace: force}
	return cfg.Make(out, dtype.Float32, order, shape, func(g *array.File) error { // an error leaves no file
		dst, err := array.As[float32](g.Array)
		if err != nil {
			return err
		}
		return array.Use(in,
			func(f *array.File) error { // returns page faults in any goroutine, and changes to the file, as errors
				if !slices.Equal(f.Shape(), shape) {
					return fmt.Errorf("%s: %w", in, mmap.ErrReplaced)
				}
				src, err := array.Cast[float64](f.Array) // accepts any real numbers
				if err != nil {
					return err
				}
				return scale(ctx, dst, src)
			})
	})
}
