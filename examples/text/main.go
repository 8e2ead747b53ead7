// Text creates a .npy file of float64 from text: one row per line, with numbers separated by blanks or commas. Lines
// may have any length, but all must contain the same number of values. Blank lines are skipped.
//
//	$ printf '1 2.5\n\n3,-4\n' | go run ./examples/text /dev/stdin TABLE.npy
//	2 rows of 2 numbers
//
// An array.Appender collects rows and appends many at a time, so the text may be larger than memory. The file appears
// only when it is complete: no file is left after Ctrl-C, after an invalid line, or if the disk is full. An existing
// file is replaced only with -force. To append to a file while others read it see ../follow.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"iter"
	"os"
	"os/signal"
	"syscall"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

func main() {
	force := flag.Bool("force", false, "")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: text [-force] TEXT FILE") }
	if flag.Parse(); flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	n, columns, err := text(ctx, flag.Arg(0), flag.Arg(1), *force)
	if err == nil {
		_, err = fmt.Printf("%d rows of %d numbers\n", n, columns)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "text:", err)
		os.Exit(1)
	}
}

func text(ctx context.Context, in, out string, force bool) (rows, columns int, err error) {
	r, err := os.Open(in)
	if err != nil {
		return 0, 0, err
	}
	defer r.Close()
	before, err := r.Stat()
	if err != nil {
		return 0, 0, err
	}
	defer context.AfterFunc(ctx, func() { r.Close() })() // Ctrl-C ends a blocked read
	next, stop := iter.Pull2(numbers(r))
	defer stop()
	row, err, more := next()
	switch {
	case !more:
		return 0, 0, fmt.Errorf("%s: no numbers", in)
	case err != nil:
		return 0, 0, fmt.Errorf("%s: %w", in, cmp.Or(context.Cause(ctx),
			err)) // report Ctrl-C rather than the error from the closed r
	}
	columns = len(row)
	cfg := array.SaveConfig{Replace: force}
	err = cfg.Make(out, dtype.Float64, index.C, []int{0, columns}, func(f *array.File) error { // an error leaves no file
		a, err := array.NewAppender[float64](f)
		for ; err == nil && more; row, err, more = next() {
			if err = cmp.Or(context.Cause(ctx), a.Append(row...)); err != nil {
				break
			}
			rows++
		}
		if err == nil {
			err = checkUnchanged(r, before)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", in, cmp.Or(context.Cause(ctx), err))
		}
		return a.Close()
	})
	return rows, columns, err
}
