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
// as zeros.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
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
		err = follow(args[0], 10*time.Millisecond, func(rows array.Array) error {
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

// follow calls do with the rows of the file at path, as copies: those that are there, and then those that
// are new, which it looks for that often. It returns the error of do, or its own.
func follow(path string, every time.Duration, do func(rows array.Array) error) error {
	f, err := open(path)
	if err != nil {
		return err
	}
	defer func() { f.Close() }()
	for seen := 0; ; {
		grew := false
		rows, err := next(f, seen)
		if err == nil {
			grew, err = f.Refresh() // an error where the file is shorter, and the rows may not have been there
		}
		switch {
		case errors.Is(err, mmap.ErrReplaced):
			other, err := open(path)
			if err == nil {
				f.Close()
				f, seen = other, 0
				continue
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			time.Sleep(every) // not yet there
		case err != nil:
			return err
		case rows.Len(0) > 0:
			if err := do(rows); err != nil {
				return err
			}
			seen += rows.Len(0)
		case !grew:
			time.Sleep(every)
		}
	}
}

// next returns a copy of rows that follow so many others, of about 1 MiB; none if there are none. It reads until the
// time of the file is the same before and after that: nobody has cut off rows and put them back.
func next(f *array.File, seen int) (rows array.Array, err error) {
	n := f.Len(0) - seen
	if n > 0 {
		n = min(n, 1+1<<20/(1+f.NBytes()/f.Len(0)))
	}
	part, err := f.Select(index.Range(seen, seen+n))
	if err != nil {
		return part, err
	}
	for {
		before, err := f.Stat()
		if err != nil {
			return part, err
		}
		if err := mmap.Guard(func() error { rows, err = part.Clone(index.C); return err }); err != nil { // it may be cut
			return part, err
		}
		if after, err := f.Stat(); err != nil || after.ModTime().Equal(before.ModTime()) {
			return rows, err
		}
	}
}

func open(path string) (*array.File, error) {
	f, err := array.Open(path, array.ReadOnly)
	if err != nil {
		return nil, err
	}
	if f.NDim() == 0 || f.Order() != index.C {
		f.Close()
		return nil, fmt.Errorf("%s: a file with rows in C order is wanted", path)
	}
	return f, nil
}

// appendLines appends to the file at path, which it makes if there is none, a row for each line.
func appendLines(path string, lines io.Reader) error {
	var f *array.File
	r := bufio.NewReader(lines) // not a Scanner, whose lines end at 64 KiB
	for n := 1; ; n++ {
		line, readErr := r.ReadString('\n')
		if readErr != nil && readErr != io.EOF {
			return readErr
		}
		var row []float64
		for _, field := range strings.Fields(line) {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return fmt.Errorf("line %d: %q: %w", n, field, errors.Unwrap(err))
			}
			row = append(row, x)
		}
		if len(row) > 0 { // a blank line is no row
			if f == nil {
				var err error
				if f, err = openOrCreate(path, len(row)); err != nil {
					return err
				}
				defer f.Close()
			}
			v, err := array.FromSlice(row, 1, len(row))
			if err != nil {
				return err
			}
			if err := f.Append(v.Array()); err != nil { // on stable storage
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
		if readErr == io.EOF {
			return nil
		}
	}
}

// openOrCreate makes the file at once and whole, as Convert does: after a crash it is there with its
// header, or not at all, and where another process was first, its file stays. Create leaves a file
// without a header if the power fails then, and with Replace would take the place of the other's.
func openOrCreate(path string, columns int) (*array.File, error) {
	f, err := array.Open(path, array.ReadWrite)
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	none, err := array.FromSlice([]float64{}, 0, columns)
	if err != nil {
		return nil, err
	}
	err = array.Convert(path, none.Array(), dtype.Float64, index.C)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return array.Open(path, array.ReadWrite)
}
