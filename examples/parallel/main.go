// Parallel writes the numbers of a .npy file as float32 with mean 0 and deviation 1, in two passes of its
// own over blocks of elements, on all cores.
//
//	go run ./examples/parallel IN.npy OUT.npy
//
// The passes are in scale.go. It prints nothing but errors. NaN stays NaN, and does not count. The
// file may be larger than memory, and so may the new one: it is made on the disk, and gets its name when
// it is whole. After Ctrl-C, an error, or where the disk is full, there is none. What fits in memory is written whole
// by Config.Convert: see ../mean; and so is what is only converted, without a pass of one's own: see ../convert.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
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
	var g *array.File
	err := array.Use(in, func(f *array.File) error { // page faults in any goroutine are errors, and changes meanwhile
		src, err := array.Cast[float64](f.Array) // any real numbers
		if err != nil {
			return err
		}
		cfg := array.Config{Pending: true, Replace: force}
		if g, err = cfg.Create(out, dtype.Float32, f.Order(), f.Shape()...); err != nil {
			return err
		}
		dst, err := array.As[float32](g.Array)
		if err != nil {
			return err
		}
		return scale(ctx, dst, src)
	})
	if g != nil {
		defer g.Close() // without Commit it leaves nothing
	}
	if err != nil {
		return err
	}
	return g.Commit()
}
