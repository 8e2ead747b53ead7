package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"strconv"
	"strings"
)

// numbers iterates over the rows of a text. A row is valid until the next iteration. An error ends the iteration and
// names the line.
func numbers(text io.Reader) iter.Seq2[[]float64, error] {
	return func(yield func([]float64, error) bool) {
		lines := bufio.NewReader(text)
		columns := 0
		for n, end := 1, false; !end; n++ {
			line, err := lines.ReadString('\n') // any length, unlike a bufio.Scanner
			if end = err == io.EOF; err == nil || end {
				var row []float64
				if row, err = parse(line); len(row) == 0 && err == nil {
					continue // a blank line
				}
				if columns == 0 {
					columns = len(row)
				}
				if err == nil && len(row) != columns {
					err = fmt.Errorf("%d numbers, want %d as in the first row", len(row), columns)
				}
				if err == nil {
					if !yield(row, nil) {
						return
					}
					continue
				}
			}
			yield(nil, fmt.Errorf("line %d: %w", n, err))
			return
		}
	}
}

// parse returns the numbers of a line. They are separated by commas if the line has any, and otherwise by blanks.
func parse(line string) (row []float64, err error) {
	fields := strings.Fields(line)
	if strings.Contains(line, ",") {
		fields = strings.Split(line, ",") // empty fields are errors
	}
	for _, s := range fields {
		x, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		if err != nil {
			return nil, err
		}
		row = append(row, x)
	}
	return row, nil
}

// checkUnchanged returns an error if a file was truncated or modified since it was opened. It ignores pipes.
func checkUnchanged(r *os.File, before fs.FileInfo) error {
	now, err := r.Stat()
	if err == nil && now.Mode().IsRegular() && (now.Size() != before.Size() || !now.ModTime().Equal(before.ModTime())) {
		err = errors.New("modified since it was opened")
	}
	return err
}
