package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/value"
	"github.com/ndmap/ndmap/index"
)

// convertFromCSV makes a .npy file of the values in a CSV file, which is read twice: to count its lines, and to write
// their values.
func (e *env) convertFromCSV(c *conversion, in, out string) error {
	switch {
	case !c.dtype.given:
		return usageError{errors.New("-dtype is missing, as CSV does not say what its values are: -dtype float64, say")}
	case c.order.Order != index.K || c.aligned || c.packed || len(c.part.steps) > 0 || c.from.raw.given:
		return usageError{errors.New("of a CSV file all becomes a .npy file, in C order; npy convert makes other ones of that")}
	}
	if err := otherFormat(out); err != nil {
		return err
	}
	if err := checkOut(out); err != nil {
		return err
	}
	if same(in, out) {
		return fileError{out, errors.New("it is the file to read from; write to another one")}
	}
	cells, err := cellsOf(c.dtype.DType)
	if err != nil {
		return fileError{in, err}
	}
	defer e.interruptible()()
	r := csvReader{env: e, path: in, dtype: c.dtype.DType, cells: cells}
	if err := r.scan(nil); err != nil {
		return err
	}
	shape := []int{r.rows, r.fields}
	switch {
	case r.dtype.NumField() > 0:
		shape = shape[:1]
	case c.oneD && r.fields > 1:
		return fileError{in, fmt.Errorf("line 1 has %d values, and -1d is for one on each line", r.fields)}
	case c.oneD:
		shape = shape[:1]
	}
	rows := r.rows
	return create(out, c.force, !c.nosync, func(w io.Writer) error {
		to, err := array.NewWriter(w, r.dtype, index.C, shape...)
		if err != nil {
			return err
		}
		shape := slices.Clone(shape)
		err = r.scan(func(b []byte, n int) error {
			shape[0] = n
			part, err := array.FromBytes(b, r.dtype, index.C, shape...)
			if err != nil {
				return err
			}
			return to.Write(part)
		})
		if err == nil && r.rows != rows {
			err = fileError{in, errors.New("it was changed while it was read")}
		}
		if err != nil {
			return err
		}
		return to.Close()
	})
}

// A csvReader reads a CSV file from its beginning, as often as one likes.
type csvReader struct {
	env          *env
	path         string
	dtype        dtype.DType
	cells        []cell
	rows, fields int // of what was read
	passes       int
}

// scan reads the file, and counts rows and fields. It calls write, unless that is nil, with the values of n rows as
// they are in a file, again and again.
func (r *csvReader) scan(write func(b []byte, n int) error) error {
	f, err := os.Open(r.path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text := bufio.NewReaderSize(f, 1<<16)
	if bom, _ := text.Peek(3); string(bom) == "\ufeff" { // Excel puts it there
		text.Discard(3)
	}
	lines := csv.NewReader(&keeper{r: text})
	lines.ReuseRecord = true
	r.rows, r.fields = 0, 0
	first := 1 // line
	var order []int
	var buf []byte
	n := 0
	for {
		fields, err := lines.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			return r.failed(err, first)
		}
		if r.fields == 0 {
			r.fields = len(fields)
			first, _ = lines.FieldPos(0)
			if r.dtype.NumField() > 0 {
				if order, err = r.header(fields); err != nil {
					return fileError{r.path, fmt.Errorf("line %d: %w", first, err)}
				}
				continue
			}
		}
		r.rows++
		if r.rows%1024 == 1 {
			if err := r.env.progress(int64(r.passes)*info.Size()+lines.InputOffset(), 2*info.Size()+1); err != nil {
				return err
			}
		}
		if write == nil {
			continue
		}
		if buf, err = r.parse(buf, fields, order, lines); err != nil {
			return fileError{r.path, err}
		}
		if n++; len(buf) > 1<<20 {
			if err := write(buf, n); err != nil {
				return err
			}
			buf, n = buf[:0], 0
		}
	}
	r.passes++
	if r.dtype.NumField() > 0 && r.fields == 0 {
		return fileError{r.path, errors.New("it is empty, and records begin with a header, the names of their fields")}
	}
	if n > 0 {
		return write(buf, n)
	}
	return nil
}

// failed says where the text is no CSV, of which the first line is known.
func (r *csvReader) failed(err error, first int) error {
	if e, ok := errors.AsType[*csv.ParseError](err); ok {
		err = fmt.Errorf("line %d, byte %d: %w", e.Line, e.Column, e.Err)
		if errors.Is(e.Err, csv.ErrFieldCount) {
			err = fmt.Errorf("line %d: there are not %d fields, as on line %d", e.StartLine, r.fields, first)
		}
	}
	return fileError{r.path, err}
}

// header returns which cell each field is, after the names on the first line.
func (r *csvReader) header(names []string) ([]int, error) {
	order := make([]int, len(names))
	if len(names) == len(r.cells) && !slices.ContainsFunc(r.cells, func(c cell) bool {
		order[0]++
		return c.name != names[order[0]-1]
	}) {
		for i := range order {
			order[i] = i
		}
		return order, nil
	}
	seen := make([]bool, len(r.cells))
	for i, name := range names {
		k := slices.IndexFunc(r.cells, func(c cell) bool { return c.name == strings.TrimSpace(name) })
		if k < 0 {
			k = slices.IndexFunc(r.cells, func(c cell) bool { return c.name == name })
		}
		if k < 0 || seen[k] {
			return nil, fmt.Errorf("the header has %q, which dtype %v has not, or twice; its fields are %s", clipped(name),
				r.dtype,
				r.names())
		}
		order[i], seen[k] = k, true
	}
	if len(names) < len(r.cells) {
		return nil, fmt.Errorf("the header has no %q, as dtype %v; its fields are %s", r.cells[slices.Index(seen,
			false)].name, r.dtype,
			r.names())
	}
	return order, nil
}

func (r *csvReader) names() string {
	var names []string
	for _, c := range r.cells {
		names = append(names, c.name)
	}
	return clipped(strings.Join(names, ", "))
}

// parse appends the values of a line, or those of one record, whose cells are in that order.
func (r *csvReader) parse(buf []byte, fields []string, order []int, lines *csv.Reader) (_ []byte, err error) {
	at := len(buf)
	if order != nil {
		buf = append(buf, make([]byte, r.dtype.ItemSize())...)
	}
	for i, s := range fields {
		c := r.cells[0]
		if order == nil {
			buf, err = value.AppendField(buf, c.d, s)
		} else {
			c = r.cells[order[i]]
			_, err = value.AppendField(buf[at+c.off:at+c.off], c.d, s)
		}
		if err == nil {
			continue
		}
		line, _ := lines.FieldPos(i)
		hint := ""
		if r.rows == 1 && order == nil && !strings.ContainsAny(s, "0123456789") {
			hint = "; a header needs -dtype with the names of fields, as \"[('x', '<f8')]\""
		}
		return buf, fmt.Errorf("line %d, field %d: value %q does not fit dtype %v: %w%s", line, i+1, clipped(s), c.d, err,
			hint)
	}
	return buf, nil
}

// isCSV reports whether the file at path is CSV: so named, and not a .npy file.
func isCSV(path string) bool {
	if !isCSVName(path) || path == stream {
		return false
	}
	info, err := os.Stat(path)
	if err != nil {
		return true // another error says so
	}
	if !info.Mode().IsRegular() { // so does another one
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return true
	}
	defer f.Close()
	var magic [6]byte
	io.ReadFull(f, magic[:])
	return string(magic[:]) != "\x93NUMPY" && !isZipMagic([4]byte(magic[:4]))
}

func isCSVName(path string) bool { return strings.EqualFold(path[max(0, len(path)-4):], ".csv") }
