// Archive replaces the negative numbers of a float64 array in a .npz file by zeros, in place. It writes only these
// numbers and the CRC of the member, which lets NumPy and unzip detect damage.
//
//	$ go run ./examples/archive FILE.npz NAME
//	elements changed: 3
//
// Archive verifies the CRC of the member first. If the CRC is wrong, the member is damaged, or a process was killed
// while it edited the member. Inspect the data; if it is correct, run with -repair, which updates the CRCs of all
// uncompressed members. After Ctrl-C, some of the numbers have been replaced, and the CRC matches the data. A lock
// keeps two processes from editing an archive at the same time.
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
	err = mmap.Guard(func() error { // returns page faults as errors
		if repair {
			if _, err := a.Repair(); err != nil { // all members
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
		return cmp.Or(a.Sync(), context.Cause(ctx)) // first the data, then the CRC
	})
	return n, cmp.Or(err, a.Map().CheckPath()) // an error if the archive was replaced meanwhile
}
