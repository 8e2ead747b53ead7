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
// once to convert the values.
func (e *env) convertFromCSV(c *conversion, in, out string) error {
	switch {
	case !c.dtype.given:
		return usageError{errors.New("-dtype is missing; CSV requires a dtype, such as -dtype float64")}
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
	cells, err := cellsOf(c.dtype.DType)
	if err != nil {
		return fileError{in, err}
	}
	defer to.interruptible()()
	r := csvReader{env: e, path: in, dtype: c.dtype.DType, cells: cells}
	if err := r.scan(nil); err != nil {
		return err
	}
	shape := []int{r.rows, r.fields}
	switch {
	case r.dtype.NumField() > 0:
		shape = shape[:1]
	case c.oneD && r.fields > 1:
		return fileError{in, fmt.Errorf("line %d has %d values; -1d requires one value per line", r.first, r.fields)}
	case c.oneD:
		shape = shape[:1]
	}
	rows := r.rows
	return to.create(func(w io.Writer) error {
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
			err = fileError{in, errors.New("modified while it was being read")}
		}
		if err != nil {
			return err
		}
		return to.Close()
	})
}

// A csvReader reads a CSV file from the beginning, any number of times.
type csvReader struct {
	env          *env
	path         string
	dtype        dtype.DType
	cells        []cell
	rows, fields int // counted by the last scan
	first        int // number of the first line
	passes       int
}

// mostRow is the maximum number of bytes of the values of one line.
const mostRow = 1 << 30

// scan reads the file and counts rows and fields. Unless write is nil, scan calls it repeatedly with the encoded values
// of the next n rows.
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
	lines := csvLines{in: bufio.NewReaderSize(f, 1<<16), first: 1}
	if bom, _ := lines.in.Peek(3); string(bom) == "\ufeff" { // Excel writes a byte order mark
		lines.in.Discard(3)
	}
	r.rows, r.fields = 0, 0
	records := r.dtype.NumField() > 0
	numbers, text := r.numbers()
	lines.plain = !text && !records // field names may contain any text
	var order []int
	var buf []byte
	n := 0
	for {
		if err = lines.next(); err == io.EOF {
			break
		}
		switch {
		case err != nil:
		case records && order == nil:
			if order, err = r.readHeader(&lines, numbers); order != nil {
				lines.plain, r.first, r.fields = !text, lines.first, len(order)
			}
			if err == nil {
				continue
			}
		case r.rows == 0:
			lines.blanks = numbers && !strings.ContainsAny(lines.text, `,"`)
		}
		if err == nil {
			r.rows++
			buf, err = r.parse(buf, order, &lines, write != nil)
		}
		if err != nil {
			return fileError{r.path, err}
		}
		if r.rows%1024 == 1 {
			if err := r.env.progress(int64(r.passes)*info.Size()+lines.offset, 2*info.Size()+1); err != nil {
				return err
			}
		}
		if n++; len(buf) > 1<<20 {
			if err := write(buf, n); err != nil {
				return err
			}
			buf, n = buf[:0], 0
		}
	}
	r.passes++
	if records && r.fields == 0 {
		return fileError{r.path, errors.New("empty file; want a header line with the names of the fields")}
	}
	if write != nil && n > 0 {
		return write(buf, n)
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
	ways := []csvLines{{text: lines.text, first: lines.first}, {text: comment}, {text: comment, blanks: true}}
	if !blanks {
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

// parse reads the fields of a line. If keep is set, it appends their values to buf. order gives the order of the values
// in a record.
func (r *csvReader) parse(buf []byte, order []int, lines *csvLines, keep bool) (_ []byte, err error) {
	at, i := len(buf), 0
	if keep && order != nil {
		buf = append(buf, make([]byte, r.dtype.ItemSize())...)
	}
	for ; ; i++ {
		start := lines.at
		s, ok, err := lines.field()
		if err != nil {
			return buf, err
		}
		if !ok || r.fields > 0 && i == r.fields {
			if ok || r.fields > 0 && i < r.fields {
				return buf, fmt.Errorf("line %d: want %d fields, as on line %d", lines.first, r.fields, r.first)
			}
			break
		}
		if !keep {
			continue
		}
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
		hint := ""
		if r.rows == 1 && order == nil && s != "" && !strings.ContainsAny(s, "0123456789") {
			hint = "; a header needs -dtype with the names of fields, such as \"[('x', '<f8')]\""
		}
		return buf, fmt.Errorf("line %d, field %d: value %q does not fit dtype %v: %w%s",
			lines.first+strings.Count(lines.text[:start], "\n"), i+1, clipText(s), c.d, err, hint)
	}
	if r.fields == 0 {
		r.fields, r.first = i, lines.first
	}
	if size := r.dtype.ItemSize(); order == nil && size > 0 && r.fields > mostRow/size {
		return buf, fmt.Errorf("line %d has %s values of %d bytes each; a row may have at most %s", lines.first,
			words.Count(r.fields), size, words.Bytes(mostRow))
	}
	return buf, nil
}

// isCSV reports whether the file at path is CSV: its name has an extension of CSV, and it is not a .npy file or an
// archive. If typed is set, because the user gave a dtype, text files with other names are CSV, too.
func isCSV(path string, typed bool) bool {
	named := isCSVName(path)
	if path == stream || isURL(path) || !named && !typed {
		return false
	}
	info, err := os.Stat(path)
	if err != nil {
		return named // the error is reported when the file is opened
	}
	if !info.Mode().IsRegular() { // reported when the file is opened
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return named
	}
	defer f.Close()
	var head [512]byte
	n, _ := io.ReadFull(f, head[:])
	if named {
		return !strings.HasPrefix(string(head[:]), npy.Magic) && !isZipMagic([4]byte(head[:4]))
	}
	return filekind.IsText(head[:n])
}

func isCSVName(path string) bool { return strings.EqualFold(path[max(0, len(path)-4):], ".csv") }
