// Follow prints the rows of a .npy file, and then the rows that other processes append, as they arrive.
//
//	follow FILE            prints rows, until it is interrupted
//	follow -append FILE    appends a row of float64s for each line of standard input that is not blank
//
// follow.py does the same in Python, using only NumPy. Either program can read rows appended by its counterpart. For
// example, to write and read the load of the machine once per second, run in this directory:
//
//	while sleep 1; do cut -d ' ' -f 1-3 /proc/loadavg; done | go run . -append load.npy &
//	python3 follow.py load.npy    # [21.15 21.07 16.28], say, and a row more each second
//
// In Python alone, np.load("load.npy", mmap_mode="r") contains the rows present at the time of the call. A row is
// written before the number of rows in the header is increased, so readers never see an incomplete row. Go processes
// that append take turns. A Python process takes no lock, and must be the only one that appends.
//
// If another file replaces FILE, as in log rotation, follow goes on with the rows of the new file. Rows appended to the
// old file just before the replacement may not be printed. If FILE is truncated, follow ends with an error instead of
// printing the missing rows as zeros. follow -append creates FILE if necessary, even if several processes do so at the
// same time.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"os"
	"strings"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("follow: ")
	var err error
	switch args := os.Args[1:]; {
	case len(args) == 2 && args[0] == "-append":
		err = appendLines(args[1], os.Stdin)
	case len(args) == 1 && !strings.HasPrefix(args[0], "-"):
		err = follow(context.Background(), args[0], func(rows array.Array) error {
			for i := range rows.Len(0) {
				if _, err := fmt.Println(rows.Index(i)); err != nil {
					return err
				}
			}
			return nil
		})
	default:
		fmt.Fprintln(os.Stderr, "usage: follow [-append] FILE")
		os.Exit(2)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// follow calls do with the existing rows of the file at path and then with each batch of new rows. If the file is
// replaced, it continues with the new file. It returns the first error from do, or an error from reading the file.
func follow(ctx context.Context, path string, do func(rows array.Array) error) error {
	for opened := false; ; opened = true {
		err := followOne(ctx, path, do)
		switch {
		case errors.Is(err, mmap.ErrReplaced):
		case opened && errors.Is(err, fs.ErrNotExist):
			time.Sleep(10 * time.Millisecond) // the new file does not exist yet
		default:
			return err
		}
	}
}

// followOne follows a single file until it is replaced.
func followOne(ctx context.Context, path string, do func(rows array.Array) error) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := currentRows(f)
	if err == nil && rows.Len(0) > 0 {
		err = do(rows)
	}
	if err != nil {
		return err
	}
	for rows, err := range f.Follow(ctx) {
		if err == nil {
			err = do(rows)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
