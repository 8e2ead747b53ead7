// Convert rewrites a .npy file in the form that most programs expect: in C order, with native byte order. The values,
// of any dtype, do not change.
//
//	go run ./examples/convert IN.npy OUT.npy
//
// Files may be larger than memory. On a terminal, convert shows its progress. OUT.npy appears only when it is complete:
// array.Convert writes to a temporary file and removes it after an error, after Ctrl-C (which makes Progress return an
// error), or if the disk is full. An existing file is replaced only with -force.
//
// With another dtype, array.Convert converts values as NumPy's astype does: integers wrap around, and floats lose their
// fractions, without an error. To detect that, check array.MinMax first.
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
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	force := flag.Bool("force", false, "")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: convert [-force] IN OUT") }
	if flag.Parse(); flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := convert(ctx, flag.Arg(0), flag.Arg(1), *force); err != nil {
		fmt.Fprintln(os.Stderr, "convert:", err)
		os.Exit(1)
	}
}

func convert(ctx context.Context, in, out string, force bool) error {
	f, err := open(in)
	if err != nil {
		return err
	}
	defer f.Close()
	return convertFile(ctx, f, out, force)
}

func convertFile(ctx context.Context, f *array.File, out string, force bool) error {
	show := progress(ctx)
	cfg := array.SaveConfig{Replace: force, Progress: func(done, total int64) error {
		if err := show(done, total); err != nil || done < total {
			return err // Ctrl-C
		}
		return f.Unchanged() // was the file truncated or modified while it was read?
	}}
	return mmap.Guard(func() error { // returns page faults as errors
		return cfg.Convert(out, f.Array, f.DType().WithByteOrder(dtype.Native), index.C)
	})
}
