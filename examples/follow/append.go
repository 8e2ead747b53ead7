package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// appendLines appends one row per line to the file at path. It creates the file if necessary.
func appendLines(path string, lines io.Reader) error {
	var f *array.File
	r := bufio.NewReader(lines) // a Scanner would limit lines to 64 KiB
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
		if len(row) > 0 { // skip blank lines
			v, err := array.FromSlice(row, 1, len(row))
			if err == nil && f == nil {
				if f, err = array.OpenOrCreate(path, dtype.Float64, index.C, 0, len(row)); err == nil {
					defer f.Close()
				}
			}
			if err == nil {
				err = f.Append(v.Array()) // on stable storage when it returns
			}
			if err != nil {
				return fmt.Errorf("line %d: %w", n, err)
			}
		}
		if readErr == io.EOF {
			return nil
		}
	}
}
