// Text makes a .npy file of float64 from a text of numbers: a row for each line, numbers apart by
// blanks or commas. Lines may be of any length, and have as many numbers as the first; blank ones
// are skipped.
//
//	$ printf '1 2.5\n\n3,-4\n' | go run ./examples/text /dev/stdin TABLE.npy
//	2 rows of 2 numbers
//
// An array.Appender collects rows and appends many at a time, so the text may be larger than
// memory. The file has its name once it is whole: after Ctrl-C, a line that is wrong, or where
// the disk is full, there is none. A file that is there is replaced only with -force. To append
// to a file while others read it, see ../follow.
package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
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
	defer context.AfterFunc(ctx, func() { r.Close() })() // Ctrl-C ends a read that waits
	var f *array.File
	var a *array.Appender[float64]
	for row, e := range numbers(r) {
		if err = cmp.Or(context.Cause(ctx), e); err == nil && f == nil {
			columns = len(row)
			cfg := array.Config{Pending: true, Replace: force}
			if f, err = cfg.Create(out, dtype.Float64, index.C, 0, columns); err != nil {
				return 0, 0, err
			}
			defer f.Close() // without Commit it leaves nothing
			a, err = array.NewAppender[float64](f)
		}
		if err == nil {
			err = a.Append(row...)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", in, err)
			break
		}
		rows++
	}
	if f == nil {
		return 0, 0, cmp.Or(err, fmt.Errorf("%s: no numbers", in))
	}
	if err == nil {
		err = cmp.Or(a.Close(), unchanged(r, before))
	}
	if err != nil {
		return 0, 0, err
	}
	return rows, columns, f.Commit()
}
