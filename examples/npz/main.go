// Npz copies a .npz file and scales one of its arrays of floats. Members are read in place, or inflated if they are
// compressed. The new archive is not compressed, and appears only when it is complete. A member that is not an array is
// an error.
//
//	go run ./examples/npz NAME 2.5 IN.npz OUT.npz
//
// It prints nothing except errors. No new archive is left after Ctrl-C, after an error, or if the disk is full. An
// existing archive is replaced only with -force. The scaled array is kept in memory. To change an array in place see
// ../archive.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"

	"github.com/ndmap/ndmap/array/npz"
)

func main() {
	force := flag.Bool("force", false, "")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: npz [-force] NAME FACTOR IN.npz OUT.npz") }
	if flag.Parse(); flag.NArg() != 4 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	factor, err := strconv.ParseFloat(flag.Arg(1), 64)
	if err != nil {
		err = fmt.Errorf("FACTOR: %w", err)
	} else {
		err = scale(ctx, flag.Arg(0), factor, flag.Arg(2), flag.Arg(3), *force)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "npz:", err)
		os.Exit(1)
	}
}

// scale copies the archive in to out and multiplies the member name by factor.
func scale(ctx context.Context, name string, factor float64, in, out string, force bool) error {
	interrupted := func(_, _ int64) error { return context.Cause(ctx) } // returns an error after Ctrl-C
	cfg := npz.SaveConfig{Replace: force, Progress: interrupted}
	return cfg.Make(out, func(w *npz.Writer) error { // an error leaves no archive
		return npz.Use(in, func(a *npz.Archive) error { // returns page faults, and changes to the file, as errors
			if _, err := a.Member(name); err != nil {
				return err
			}
			return cmp.Or(scaleTo(w, a, name, factor), context.Cause(ctx))
		})
	})
}

func scaleTo(w *npz.Writer, a *npz.Archive, name string, factor float64) error {
	for _, member := range a.Names() {
		x, err := a.Array(member)
		if err == nil && member == name {
			if x, err = times(x, factor); err != nil {
				err = fmt.Errorf("%s: member %q: %w", a.Path(), name, err)
			}
		}
		if err == nil {
			err = w.Add(member, x)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
