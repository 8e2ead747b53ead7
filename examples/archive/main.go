// Archive makes the negative numbers of a float64 array in a .npz file zero, in place: only they are
// written, and the CRC of the member, by which NumPy and unzip see damage.
//
//	$ go run ./examples/archive FILE.npz NAME
//	elements changed: 3
//
// It reads the member first: one that does not have its CRC is damaged, or a process that edited it
// was killed. Look at the data; if it is right, run with -repair, which stores the CRC of the data
// as it is now, of all uncompressed members. After Ctrl-C some numbers are changed and others not,
// and the CRC is that of both. Two that edit one archive at a time exclude each other by a lock.
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
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	repair := flag.Bool("repair", false, "")
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: archive [-repair] FILE.npz NAME") }
	if flag.Parse(); flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	n, err := edit(flag.Arg(0), flag.Arg(1), *repair)
	if err == nil {
		_, err = fmt.Println("elements changed:", n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "archive:", err)
		os.Exit(1)
	}
}

func edit(path, name string, repair bool) (n int, err error) {
	cfg := npz.OpenConfig{Mode: array.ReadWrite, Lock: true}
	a, err := cfg.Open(path)
	if err != nil {
		return 0, err
	}
	defer a.Close()
	err = mmap.Guard(func() error { // page faults are errors
		if repair {
			if _, err := a.Repair(); err != nil { // of all members
				return err
			}
		}
		if err := a.Verify(name); err != nil {
			return err
		}
		x, err := a.Array(name)
		if err != nil {
			return err
		}
		v, err := array.As[float64](x)
		if err != nil {
			return err
		}
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		for idx, x := range v.All(index.K) {
			if ctx.Err() != nil { // Ctrl-C
				break
			}
			if x < 0 {
				v.SetAt(0, idx...)
				n++
			}
		}
		return cmp.Or(a.Sync(), context.Cause(ctx)) // the data, then its CRC, are on stable storage
	})
	return n, cmp.Or(err, a.Map().CheckPath()) // nobody finds what is written to a file without a name
}
