// Convert writes a .npy file anew as most programs want it: in C order, with the byte order of this
// machine. The values, of any dtype, stay what they are.
//
//	go run ./examples/convert IN.npy OUT.npy
//
// It shows how far it is, on a terminal, and files may be larger than memory. OUT.npy is there when it is
// whole: array.Convert writes to a temporary file, and removes it after an error, Ctrl-C (which makes
// Progress return an error), or where the disk is full. A file that is there is replaced only with -force.
//
// With another dtype, array.Convert does what NumPy's astype does: integers wrap around, and floats
// lose their fractions, without an error. To have an error instead, check array.MinMax first.
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
		return f.Unchanged() // all is read: was the file cut, or written to, meanwhile?
	}}
	return mmap.Guard(func() error { // page faults are errors
		return cfg.Convert(out, f.Array, f.DType().WithByteOrder(dtype.Native), index.C)
	})
}
