// Follow prints the rows of a .npy file, and those that other processes append to it, as they
// come.
//
//	follow FILE            prints rows, until it is interrupted
//	follow -append FILE    appends a row of float64s for each line of standard input that is not blank
//
// follow.py does the same in Python, with nothing but NumPy, and each of the two reads what
// the other appends. In this folder, two programs that write and read the load of the machine once a second:
//
//	while sleep 1; do cut -d ' ' -f 1-3 /proc/loadavg; done | go run . -append load.npy &
//	python3 follow.py load.npy    # [21.15 21.07 16.28], say, and a row more each second
//
// In Python alone, np.load("load.npy", mmap_mode="r") has the rows that there are when it is
// called. A row is written before the header counts it, so nobody sees a part of one. Go
// processes that append take turns; one of Python takes no lock, and must be the only one.
//
// When another file takes the place of FILE, as with logs that are rotated, its rows follow those
// of the old one. What was appended to the old one in the last moment before that is not printed. A
// file that is truncated ends the program with an error, and rows that were cut off are not printed
// as zeros. The rows that append.go makes of lines are in a file that the first of several processes
// makes.
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

// follow calls do with the rows of the file at path, and of those that take its place, those that are there and then
// those that are new. It returns the error of do, or its own.
func follow(ctx context.Context, path string, do func(rows array.Array) error) error {
	for opened := false; ; opened = true {
		err := followOne(ctx, path, do)
		switch {
		case errors.Is(err, mmap.ErrReplaced):
		case opened && errors.Is(err, fs.ErrNotExist):
			time.Sleep(10 * time.Millisecond) // not yet there
		default:
			return err
		}
	}
}

// followOne does it for one file.
func followOne(ctx context.Context, path string, do func(rows array.Array) error) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := there(f)
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
