// Parallel writes the numbers of a .npy file as float32 with mean 0 and deviation 1, in two passes of its
// own over blocks of elements, on all cores.
//
//	go run ./examples/parallel IN.npy OUT.npy
//
// The passes are in scale.go. It prints nothing but errors. NaN stays NaN, and does not count. The
// file may be larger than memory, and so may the new one: it is made on the disk, and gets its name when
// it is whole. After Ctrl-C, an error, or where the disk is full, there is none. What fits in memory is written whole
// by SaveConfig.Convert: see ../mean; and so is what is only converted, without a pass of one's own: see ../convert.
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
	return cfg.Make(out, dtype.Float32, order, shape, func(g *array.File) error { // an error leaves nothing
		dst, err := array.As[float32](g.Array)
		if err != nil {
			return err
		}
		return array.Use(in, func(f *array.File) error { // page faults in any goroutine are errors, and changes meanwhile
			if !slices.Equal(f.Shape(), shape) {
				return fmt.Errorf("%s: %w", in, mmap.ErrReplaced)
			}
			src, err := array.Cast[float64](f.Array) // any real numbers
			if err != nil {
				return err
			}
			return scale(ctx, dst, src)
		})
	})
}
