// Edit makes the negative numbers of a .npy file of float64 zero, in place: what it does not change it
// does not write.
//
//	$ go run ./examples/edit FILE.npy
//	elements changed: 3
//
// After Ctrl-C, or an error, some numbers are changed and others not, and the file is as whole as before;
// to run it again does the rest. To have all changes or none, write a new file: see ../parallel. Two that
// edit one file at a time exclude each other by a lock, which others, NumPy for one, do not ask for.
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
	cfg := array.OpenConfig{Mode: array.ReadWrite, Lock: true} // writes reach the file
	f, err := cfg.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	v, err := array.As[float64](f.Array) // of any shape, order and byte order
	if err != nil {
		return 0, err
	}
	err = mmap.Guard(func() error { // page faults are errors
		for idx, x := range v.All(f.Order()) {
			if x < 0 {
				v.SetAt(0, idx...)
				n++
			}
		}
		return f.Sync() // when it returns, the changes are on stable storage
	})
	return n, cmp.Or(err, check(f))
}

// check returns an error if others have replaced the file of f, or cut it: what was written to a file without
// a name, or behind the end within the last page, is in no file. (File.Unchanged is for those who only
// read: it notices what this program writes, too.)
func check(f *array.File) error {
	if err := f.Map().CheckPath(); err != nil {
		return err
	}
	info, err := f.Stat()
	if want := f.DataOffset() + int64(f.NBytes()); err == nil && info.Size() < want {
		err = fmt.Errorf("%s: has been cut to %d bytes, and had %d or more", f.Path(), info.Size(), want)
	}
	return err
}
