// Edit replaces the negative numbers of a .npy file of float64 by zeros, in place. It writes only the elements that it
// changes.
//
//	$ go run ./examples/edit FILE.npy
//	elements changed: 3
//
// After Ctrl-C or an error, some numbers have been replaced, and the file is still valid; run edit again to replace the
// rest. To change all or nothing, write a new file: see ../parallel. A lock keeps two instances from editing a file at
// the same time. Programs that do not ask for the lock, such as NumPy, are not excluded.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: edit FILE") }
	if flag.Parse(); flag.NArg() != 1 {
		flag.Usage()
		os.Exit(2)
	}
	n, err := edit(flag.Arg(0))
	if err == nil {
		_, err = fmt.Println("elements changed:", n)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "edit:", err)
		os.Exit(1)
	}
}

func edit(path string) (n int, err error) {
	cfg := array.OpenConfig{Mode: array.ReadWrite, Lock: true} // writes go to the file
	f, err := cfg.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	v, err := array.As[float64](f.Array) // any shape, order and byte order
	if err != nil {
		return 0, err
	}
	err = mmap.Guard(func() error { // returns page faults as errors
		for idx, x := range v.All(f.Order()) {
			if x < 0 {
				v.SetAt(0, idx...)
				n++
			}
		}
		return f.Sync() // when Sync returns, the changes are on stable storage
	})
	return n, cmp.Or(err, check(f))
}

// check returns an error if another process has replaced or truncated the file of f, because then some changes may have
// been lost. (File.Unchanged is for readers: it also detects this program's own writes.)
func check(f *array.File) error {
	if err := f.Map().CheckPath(); err != nil {
		return err
	}
	info, err := f.Stat()
	if want := f.DataOffset() + int64(f.NBytes()); err == nil && info.Size() < want {
		err = fmt.Errorf("%s: truncated to %d bytes, want at least %d", f.Path(), info.Size(), want)
	}
	return err
}
