// Sine writes a small .npy file with the columns t and sin(t), as big-endian float64 in Fortran order, so that each
// column is contiguous in the file.
//
//	go run ./examples/sine sine.npy
//	npy print -select :3 sine.npy    # [[0.         0.        ] [0.00628319 0.00628314] [0.01256637 0.01256604]]
//
// It prints nothing except errors. The array is created in memory and then written as a whole: no file is left after
// Ctrl-C, or if the disk is full. An existing file is replaced only with -force. For a file larger than memory see
// ../huge.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/signal"
	"syscall"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

func main() {
	force := flag.Bool("force", false, "")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: sine [-force] FILE") }
	if flag.Parse(); flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	if err := sine(flag.Arg(0), 1000, *force); err != nil {
		fmt.Fprintln(os.Stderr, "sine:", err)
		os.Exit(1)
	}
}

// sine writes the file at path, with n steps over one period.
func sine(path string, n int, force bool) error {
	v, err := array.FromSlice(make([]float64, 2*n), n, 2)
	if err != nil {
		return err
	}
	for i := range n {
		t := 2 * math.Pi * float64(i) / float64(n)
		v.SetAt(t, i, 0)
		v.SetAt(math.Sin(t), i, 1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	interrupted := func(_, _ int64) error { return context.Cause(ctx) } // returns an error after Ctrl-C
	cfg := array.SaveConfig{Replace: force, Progress: interrupted}
	return cfg.Convert(path, v.Array(), dtype.Float64.WithByteOrder(dtype.BigEndian), index.F)
}
