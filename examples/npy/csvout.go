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

// writeCSVAs writes the elements of a, read as dtype d, as CSV. Each row of a two-dimensional array and each element
// of a one-dimensional array takes one line. Each record takes one line. A header line with the names of the values
// precedes the records. If printable is set, control characters are escaped for a terminal. format.missing may have
// one text, which is written for NaN and NaT.
func (e *env) writeCSVAs(format csvFormat, out *bufio.Writer, a array.Array, d dtype.DType, printable bool) error {
	records := d.NumField() > 0
	switch {
	case a.NDim() > 2:
		return fmt.Errorf("%d dimensions, but CSV has at most two; select some with -select", a.NDim())
	case a.NBytes() == 0 && a.Size() > mostEmpty:
		return fmt.Errorf("%s elements of zero bytes are too many for CSV; select some with -select", words.Count(a.Size()))
	case a.NDim() == 2 && records:
		return errors.New("records have two dimensions, but CSV has one record per line; select one dimension with -select, or a field with -field")
	}
	cells, err := cellsOf(d)
	if err != nil {
		return err
	}
	if err := checkCells(a, d, cells); err != nil {
		return err
	}
	perLine := len(cells)
	if a.NDim() == 2 {
		perLine = a.Len(1)
	}
	put := func(k int, text []byte) {
		if printable {
			text = []byte(words.Printable(string(text)))
		}
		if k%perLine > 0 {
			out.WriteString(format.delimiter)
		}
		writeField(out, text, format.delimiter, perLine == 1)
		if k%perLine == perLine-1 {
			out.WriteByte('\n')
		}
	}
	if records {
		for k, c := range cells {
			put(k, []byte(c.name))
		}
	}
	k, done, total := 0, int64(0), int64(a.NBytes())
	var text []byte
	return blocks(a, d, func(b []byte, n int) error {
		for i := range n {
			b := b[i*d.ItemSize():]
			for _, c := range cells {
				if text, err = c.text(text[:0], b); err != nil {
					return err
				}
				if len(format.missing) > 0 && c.isMissing(text) {
					text = append(text[:0], format.missing[0]...)
				}
				put(k%perLine, text)
				k++
			}
		}
		done += int64(n * a.ItemSize())
		return e.progress(done, total)
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
