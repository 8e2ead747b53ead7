package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/value"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/filekind"
	"github.com/ndmap/ndmap/internal/npy"
)

// convertFromCSV writes the values of a CSV file to a .npy file. It reads the CSV file twice: once to count lines, and
// to choose a dtype for -dtype auto, and once to convert the values.
func (e *env) convertFromCSV(c *conversion, in, out string) error {
	switch {
	case !c.dtype.given:
		return usageError{errors.New("-dtype is missing; CSV requires a dtype, such as -dtype float64, or -dtype auto")}
	case c.order.Order != index.K || c.aligned || c.packed || len(c.part.steps) > 0 || c.from.raw.given:
		return usageError{errors.New("-order, -aligned, -packed, -select, -field and -as do not apply to CSV; convert IN to a .npy file first")}
	}
	if err := checkExtension(out); err != nil {
		return err
	}
	to, err := e.openOutput(out, c.force, c.nosync, in)
	if err != nil {
		return err
	}
	defer to.close()
	r, err := e.openCSV(in, c.csv)
	if err != nil {
		return err
	}
	defer r.file.Close()
	defer to.interruptible()()
	if c.dtype.auto {
		err = r.infer()
	} else {
		err = r.count(c.dtype.DType)
	}
	if err == nil {
		err = r.checkRow()
	}
	if err != nil {
		return err
	}
	shape := []int{r.rows, r.columns}
	switch {
	case r.order != nil:
		shape = shape[:1]
	case c.oneD && r.columns > 1:
		return fileError{in, fmt.Errorf("line %d has %d values; -1d requires one value per line", r.first, r.columns)}
	case c.oneD:
		shape = shape[:1]
	}
	return to.create(func(w io.Writer) error {
		to, err := array.NewWriter(w, r.dtype, index.C, shape...)
		if err != nil {
			return err
		}
		shape := slices.Clone(shape)
		err = r.values(func(b []byte, n int) error {
			shape[0] = n
			part, err := array.FromBytes(b, r.dtype, index.C, shape...)
			if err != nil {
				return err
			}
			return to.Write(part)
		})
		if err != nil {
			return err
		}
		return to.Close()
	})
}

// A csvReader reads a CSV file in two passes. The first pass, count or infer, determines the rows and columns. The
// second pass, values, converts the values.
type csvReader struct {
	env    *env
	path   string
	file   *os.File
	start  int64 // offset of the first byte
	size   int64 // number of bytes
	passes int   // number of complete passes
	format csvFormat

	dtype   dtype.DType
	cells   []cell
	order   []int // the cell of each column in a record, or nil if the elements are not records
	rows    int
	columns int
	first   int // number of the line that determined columns

	headerLine  int    // number of the last line before the values, or 0; -1 until the first pass has found it
	undelimited bool   // neither a flag nor the name of the file gives a delimiter
	blanks      bool   // blanks separate columns
	comments    bool   // # begins a comment in the lines of values
	skip        string // lines of only these characters are skipped
}

// mostRow is the maximum number of bytes of the values of one line.
const mostRow = 1 << 30

// openCSV opens the CSV file at path, or on standard input. A pipe is first copied to a temporary file.
func (e *env) openCSV(path string, format *csvFormat) (*csvReader, error) {
	r := &csvReader{env: e, path: path, format: *format}
	r.format.delimiter = format.delimiterFor(path)
	r.undelimited = format.delimiter == "" && r.format.delimiter == ","
	var err error
	if path != stream {
		r.file, err = os.Open(path)
	} else if r.file, r.start = e.reopenStdin(); r.file == nil {
		r.file, err = e.spoolStdin(e.stdin)
	}
	if err != nil {
		return nil, err
	}
	info, err := r.file.Stat()
	if err != nil {
		r.file.Close()
		return nil, err
	}
	r.size = info.Size() - r.start
	return r, nil
}

// pass calls visit for each line of the file that is not skipped.
func (r *csvReader) pass(visit func(l *csvLines) error) error {
	if _, err := r.file.Seek(r.start, io.SeekStart); err != nil {
		return err
	}
	lines := csvLines{in: bufio.NewReaderSize(r.file, 1<<16), first: 1, delimiter: r.format.delimiter, blanks: r.blanks,
		heading: r.headerLine != 0, comments: r.comments && r.headerLine == 0, skip: r.skip}
	if bom, _ := lines.in.Peek(3); string(bom) == "\ufeff" { // Excel writes a byte order mark
		lines.in.Discard(3)
	}
	for n := 1; ; n++ {
		err := lines.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fileError{r.path, err}
		}
		if err := visit(&lines); err != nil {
			return err
		}
		if lines.first == r.headerLine {
			lines.heading, lines.comments = false, r.comments
		}
		if n%1024 == 1 {
			if err := r.env.progress(int64(r.passes)*r.size+lines.offset, 2*r.size+1); err != nil {
				return err
			}
		}
	}
	r.passes++
	return nil
}

// count is the first pass for a given dtype.
func (r *csvReader) count(d dtype.DType) error {
	cells, err := cellsOf(d)
	if err == nil {
		err = r.format.checkFill(cells)
	}
	if err != nil {
		return fileError{r.path, err}
	}
	r.dtype, r.cells = d, cells
	numbers, text := r.numbers()
	if !text {
		r.comments, r.skip = true, strings.ReplaceAll(blankBytes, r.format.delimiter, "")
	}
	records := d.NumField() > 0
	if records {
		r.headerLine = -1
	}
	err = r.pass(func(l *csvLines) error {
		if records && r.order == nil {
			order, err := r.readHeader(l, numbers)
			if err != nil {
				return fileError{r.path, err}
			}
			if r.order = order; order != nil {
				r.headerLine, r.first, r.columns = l.first, l.first, len(order)
			}
			return nil
		}
		if r.rows == 0 {
			r.setBlanks(l, numbers)
		}
		r.rows++
		return r.eachField(l, func(int, int, string) error { return nil })
	})
	if err != nil {
		return err
	}
	if records && r.order == nil {
		return fileError{r.path, errors.New("empty file; want a header line with the names of the fields")}
	}
	return nil
}

// checkRow returns an error if the values of a row take too much memory.
func (r *csvReader) checkRow() error {
	n, size := r.columns, r.dtype.ItemSize()
	if r.order != nil {
		n = 1
	}
	if size > 0 && n > mostRow/size {
		return fileError{r.path, fmt.Errorf("line %d has %s values of %d bytes each; a row may have at most %s", r.first,
			words.Count(n), size, words.Bytes(mostRow))}
	}
	return nil
}

// setBlanks makes blanks separate the columns starting at l, the first line of values, if all values are numbers and
// there is no sign of another delimiter.
func (r *csvReader) setBlanks(l *csvLines, numbers bool) {
	r.blanks = numbers && r.undelimited && !strings.ContainsAny(l.text, `,"`)
	l.blanks = r.blanks
}

// eachField calls f with the column, the offset and the text of each field of the line l. Each line must have the same
// number of fields.
func (r *csvReader) eachField(l *csvLines, f func(i, at int, s string) error) error {
	n := 0
	for ; ; n++ {
		at := l.at
		s, ok, err := l.field()
		if err != nil {
			return fileError{r.path, err}
		}
		if !ok {
			break
		}
		if r.columns == 0 || n < r.columns {
			if err := f(n, at, s); err != nil {
				return err
			}
		}
	}
	if r.columns == 0 {
		r.columns, r.first = n, l.first
	}
	if n != r.columns {
		return fileError{r.path, fmt.Errorf("line %d: want %d columns, as on line %d, but it has %d", l.first, r.columns,
			r.first, n)}
	}
	return nil
}

// numbers reports whether all cells are numbers, so that blanks may separate them, and whether any cell is text, which
// may contain a #, so that # does not begin a comment.
func (r *csvReader) numbers() (numbers, text bool) {
	numbers = true
	for _, c := range r.cells {
		text = text || c.isLeftAligned()
		numbers = numbers && !text && !isTime(c.d)
	}
	return numbers, text
}

// readHeader reads the names of the fields on a line and returns the cell of each field. The line may be a comment, as
// numpy.savetxt writes it. If blanks is set, blanks may separate the names. For a comment that is not a header, order
// is nil.
func (r *csvReader) readHeader(lines *csvLines, blanks bool) (order []int, err error) {
	comment, isComment := strings.CutPrefix(lines.text, "#")
	delimiter := r.format.delimiter
	ways := []csvLines{{text: lines.text, first: lines.first, delimiter: delimiter}, {text: comment, delimiter: delimiter},
		{text: comment, blanks: true}}
	if !blanks || !r.undelimited {
		ways = ways[:2]
	}
	for _, l := range ways {
		names, wrong := l.fields(len(r.cells) + 1)
		if wrong == nil {
			if order, wrong = r.header(names); wrong == nil {
				return order, nil
			}
			wrong = fmt.Errorf("line %d: %w", lines.first, wrong)
		}
		if err == nil && !isComment {
			err = wrong
		}
	}
	return nil, err
}

// header returns the cell of each field, given the names on the header line.
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
		switch {
		case k < 0:
			return nil, fmt.Errorf("unknown field %q in the header; dtype %v has the fields %s", clipText(name), r.dtype,
				r.names())
		case seen[k]:
			return nil, fmt.Errorf("duplicate field %q in the header", clipText(name))
		}
		order[i], seen[k] = k, true
	}
	if len(names) < len(r.cells) {
		return nil, fmt.Errorf("field %q is missing from the header; dtype %v has the fields %s", r.cells[slices.Index(seen,
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
	return clipText(strings.Join(names, ", "))
}

// values is the second pass. It calls write repeatedly with the encoded values of the next n rows.
func (r *csvReader) values(write func(b []byte, n int) error) error {
	var buf []byte
	rows, n := 0, 0 // n is the number of rows in buf
	err := r.pass(func(l *csvLines) (err error) {
		if l.first <= r.headerLine {
			return nil
		}
		if buf, err = r.appendRow(buf, l); err != nil {
			return err
		}
		rows++
		if n++; len(buf) > 1<<20 {
			err = write(buf, n)
			buf, n = buf[:0], 0
		}
		return err
	})
	if err == nil && n > 0 {
		err = write(buf, n)
	}
	if err == nil && rows != r.rows {
		err = fileError{r.path, errors.New("modified while it was being read")}
	}
	return err
}

// appendRow appends the values of the line l to buf.
func (r *csvReader) appendRow(buf []byte, l *csvLines) ([]byte, error) {
	at := len(buf)
	if r.order != nil {
		buf = append(buf, make([]byte, r.dtype.ItemSize())...)
	}
	err := r.eachField(l, func(i, start int, s string) (err error) {
		c := r.cells[0]
		if r.order == nil {
			buf, err = r.appendValue(buf, c, s)
		} else {
			c = r.cells[r.order[i]]
			_, err = r.appendValue(buf[at+c.off:at+c.off], c, s)
		}
		if err != nil {
			err = r.valueError(l, start, i, c, s, err)
		}
		return err
	})
	return buf, err
}

// appendValue appends the value of the field s for the cell c.
func (r *csvReader) appendValue(buf []byte, c cell, s string) ([]byte, error) {
	if c.isLeftAligned() || !r.format.isMissing(s) {
		return value.AppendField(buf, c.d, s)
	}
	fill, ok := r.format.fillOf(c)
	if !ok {
		return buf, errors.New("it is missing; -fill VALUE replaces missing values")
	}
	b, err := value.AppendField(buf, c.d, fill)
	if err != nil {
		err = fmt.Errorf("it is missing, and -fill %q is no replacement: %w", clipText(fill), err)
	}
	return b, err
}

// valueError adds to err the position of the field s for the cell c: column i, at offset start of the line l.
func (r *csvReader) valueError(l *csvLines, start, i int, c cell, s string, err error) error {
	name, hint := "", ""
	if c.name != "" {
		name = " (" + clipText(c.name) + ")"
	}
	if !c.isLeftAligned() && !r.format.isMissing(s) && !strings.ContainsAny(s, "0123456789") {
		hint = fmt.Sprintf("; -missing %q makes it a missing value", clipText(s))
		if r.order == nil && l.first == r.first {
			hint = "; if it belongs to a header, use -dtype auto, or -dtype with the names of fields, such as \"[('x', '<f8')]\""
		}
	}
	return fileError{r.path, fmt.Errorf("line %d, column %d%s: value %q does not fit dtype %v: %w%s",
		l.first+strings.Count(l.text[:start], "\n"), i+1, name, clipText(s), c.d, err, hint)}
}

// isCSV reports whether the file at path is CSV: its name has an extension of CSV, and it is not a .npy file or an
// archive. If typed is set, because the user gave a dtype, all other text files are CSV too, and text on standard input
// is CSV.
func (e *env) isCSV(path string, typed bool) (bool, error) {
	if path == stream && typed {
		return e.isTextOnStdin()
	}
	named := isCSVName(path)
	if path == stream || isURL(path) || !named && !typed {
		return false, nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return named, nil // the error is reported when the file is opened
	}
	if !info.Mode().IsRegular() { // reported when the file is opened
		return false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return named, nil
	}
	defer f.Close()
	var head [512]byte
	n, _ := io.ReadFull(f, head[:])
	if named {
		return !strings.HasPrefix(string(head[:]), npy.Magic) && !isZipMagic([4]byte(head[:4])), nil
	}
	return filekind.IsText(head[:n]), nil
}
