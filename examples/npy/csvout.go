package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
)

// convertToCSV writes the elements of in that c selects to out as CSV, converted to the dtype of c.
func (e *env) convertToCSV(c *conversion, in, out string) error {
	if c.order.Order != index.K || c.aligned || c.packed {
		return usageError{errors.New("-order, -aligned and -packed do not apply to CSV")}
	}
	to, err := e.openOutput(out, c.force, c.nosync, in)
	if err != nil {
		return err
	}
	defer to.close()
	f, a, d, err := e.source(c, in)
	if err != nil {
		return err
	}
	defer f.close()
	n, err := e.fit(in, a, d, c.strict)
	if err != nil {
		return err
	}
	defer to.interruptible()()
	err = to.create(func(w io.Writer) error {
		buf := bufio.NewWriterSize(w, 1<<16)
		format := csvFormat{delimiter: c.csv.delimiterFor(out), missing: c.csv.missing}
		if err := e.writeCSVAs(format, buf, a, d, false); err != nil {
			return conversionError(in, err, a.DType(), d)
		}
		return buf.Flush()
	})
	if err == nil {
		e.warnOfMisfits(out, n, a, d)
	}
	return err
}

// mostEmpty is the maximum number of zero-size elements that are written as text. A small file may have 2^62 of them.
const mostEmpty = 1 << 24

// writeCSV writes the elements of a, read as dtype d, as CSV with commas.
func (e *env) writeCSV(out *bufio.Writer, a array.Array, d dtype.DType, printable bool) error {
	return e.writeCSVAs(csvFormat{delimiter: ","}, out, a, d, printable)
}

// writeCSVAs writes the elements of a, read as dtype d, as CSV. If printable is set, control characters are escaped for
// a terminal.
func (e *env) writeCSVAs(format csvFormat, out *bufio.Writer, a array.Array, d dtype.DType, printable bool) error {
	w, err := newCSVWriter(format, out, a, d, printable)
	if err == nil {
		err = checkCells(a, d, w.cells)
	}
	if err != nil {
		return err
	}
	w.writeHeader()
	done, total := int64(0), int64(a.NBytes())
	return w.write(a, func(n int) error {
		done += int64(n * a.ItemSize())
		return e.progress(done, total)
	})
}

// A csvWriter writes arrays as CSV. Each row of a two-dimensional array and each element of a one-dimensional array
// takes one line. Each record takes one line.
type csvWriter struct {
	format    csvFormat // missing may have one text, which is written for NaN and NaT
	out       *bufio.Writer
	dtype     dtype.DType
	cells     []cell
	perLine   int // number of values in a line
	column    int // number of values in the current line
	printable bool
	text      []byte
}

// newCSVWriter returns a csvWriter for parts of a, read as dtype d. It returns an error if a does not fit CSV.
func newCSVWriter(format csvFormat, out *bufio.Writer, a array.Array, d dtype.DType, printable bool) (*csvWriter,
	error) {
	records := d.NumField() > 0
	switch {
	case a.NDim() > 2:
		return nil, fmt.Errorf("%d dimensions, but CSV has at most two; -select of npy print and npy convert selects some",
			a.NDim())
	case a.NBytes() == 0 && a.Size() > mostEmpty:
		return nil,
			fmt.Errorf("%s elements of zero bytes are too many for CSV; -select of npy print and npy convert selects some",
				words.Count(a.Size()))
	case a.NDim() == 2 && records:
		return nil,
			errors.New("records have two dimensions, but CSV has one record per line; -select of npy print and npy convert selects one dimension, and -field a field")
	}
	cells, err := cellsOf(d)
	w := &csvWriter{format: format, out: out, dtype: d, cells: cells, perLine: len(cells), printable: printable}
	if a.NDim() == 2 {
		w.perLine = a.Len(1)
	}
	return w, err
}

// writeHeader writes the names of the values if the elements are records.
func (w *csvWriter) writeHeader() {
	if w.dtype.NumField() > 0 {
		for _, c := range w.cells {
			w.writeValue([]byte(c.name))
		}
	}
}

// writeValue writes the next value of a line.
func (w *csvWriter) writeValue(text []byte) {
	if w.printable {
		text = []byte(words.Printable(string(text)))
	}
	if w.column > 0 {
		w.out.WriteString(w.format.delimiter)
	}
	writeField(w.out, text, w.format.delimiter, w.perLine == 1)
	if w.column++; w.column == w.perLine {
		w.out.WriteByte('\n')
		w.column = 0
	}
}

// write writes the elements of a, and calls progress with the number of elements in each block.
func (w *csvWriter) write(a array.Array, progress func(n int) error) error {
	return blocks(a, w.dtype, func(b []byte, n int) (err error) {
		for i := range n {
			b := b[i*w.dtype.ItemSize():]
			for _, c := range w.cells {
				if w.text, err = c.text(w.text[:0], b); err != nil {
					return err
				}
				if len(w.format.missing) > 0 && c.isMissing(w.text) {
					w.text = append(w.text[:0], w.format.missing[0]...)
				}
				w.writeValue(w.text)
			}
		}
		return progress(n)
	})
}

// isMissing reports whether text, the text of a value of c, is NaN or NaT, or a complex number with NaN.
func (c cell) isMissing(text []byte) bool {
	if isTime(c.d) {
		return string(text) == "NaT"
	}
	return !c.isLeftAligned() && bytes.Contains(text, []byte("nan"))
}

// writeField writes a field of CSV. It quotes the same fields as encoding/csv. Like Python's csv module, it also quotes
// an empty field that is the only field of its line.
func writeField(out *bufio.Writer, text []byte, delimiter string, isLine bool) {
	quoted := bytes.ContainsAny(text, "\"\r\n") || bytes.Contains(text, []byte(delimiter)) ||
		bytes.Equal(text, []byte(`\.`)) || isLine && len(text) == 0 ||
		len(text) > 0 && (text[0] == ' ' || text[0] == '\t')
	if !quoted {
		out.Write(text)
		return
	}
	out.WriteByte('"')
	out.Write(bytes.ReplaceAll(text, []byte{'"'}, []byte(`""`)))
	out.WriteByte('"')
}
