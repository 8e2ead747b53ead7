// Dates prints the records of a .npy file since a given day. The file is a structured array with the fields "time",
// dates of any unit, and "name", text of any length.
//
//	a = np.array([("2026-05-01", "Zoë")], [("time", "M8[D]"), ("name", "U12")])
//
//	$ go run ./examples/dates 2026-05-01 FILE.npy
//	2026-05-01T00:00:00Z "Zoë"
//
// A time is an int64 that counts units. DType.Time converts it to a time.Time, or reports NaT, which dates skips. Text
// fields contain Latin-1 bytes (S) or code points (U). An invalid code point is an error.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

func main() {
	flag.Usage = func() { fmt.Fprintln(os.Stderr, "usage: dates DAY FILE") }
	if flag.Parse(); flag.NArg() != 2 {
		flag.Usage()
		os.Exit(2)
	}
	text, err := since(flag.Arg(0), flag.Arg(1))
	if err == nil {
		_, err = os.Stdout.Write(text)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "dates:", err)
		os.Exit(1)
	}
}

func since(date, path string) ([]byte, error) {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return nil, fmt.Errorf("DAY: %w", err)
	}
	var text bytes.Buffer
	err = array.Use(path, func(f *array.File) error { // returns page faults, and changes to the file, as errors
		return list(&text, f, day)
	})
	return text.Bytes(), err
}

func list(text *bytes.Buffer, f *array.File, day time.Time) error {
	times, err := f.Field("time")
	if err != nil {
		return err
	}
	v, err := array.As[int64](times)
	if err == nil && v.DType().Kind() != dtype.KindDatetime {
		err = fmt.Errorf("%s: field \"time\" has dtype %v, want M8", f.Path(), v.DType())
	}
	if err != nil {
		return err
	}
	field, err := f.Field("name")
	if err != nil {
		return err
	}
	names, err := array.Text(field)
	if err != nil {
		return err
	}
	for idx, x := range v.All(index.C) {
		t, ok := v.DType().Time(x)
		if !ok || t.Before(day) {
			continue
		}
		name, err := names.At(idx...)
		if err != nil {
			return err
		}
		fmt.Fprintf(text, "%s %q\n", t.Format(time.RFC3339Nano), name)
	}
	return nil
}
