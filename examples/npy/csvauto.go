package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/value"
	"github.com/ndmap/ndmap/examples/npy/words"
)

// A csvDTypeFlag is a flag -dtype that accepts auto: the dtype of a CSV file is chosen by its values.
type csvDTypeFlag struct {
	dtypeFlag
	auto bool
}

func (f *csvDTypeFlag) choices() []string { return append(f.dtypeFlag.choices(), "auto") }
func (f *csvDTypeFlag) Set(s string) error {
	if f.auto = s == "auto"; f.auto {
		f.given = true
		return nil
	}
	return f.dtypeFlag.Set(s)
}

// mostColumns is the maximum number of columns of a CSV file for -dtype auto.
const mostColumns = 1 << 18

// infer is the first pass for -dtype auto. It chooses the dtype, and prints it to standard error.
func (r *csvReader) infer() error {
	r.headerLine, r.skip = -1, strings.ReplaceAll(blankBytes, r.format.delimiter, "")
	comment, last := "", 0     // the last line before the values that begins with #, and its number
	var top []string           // the first line after comments
	var columns []value.Column // the columns below top
	err := r.pass(func(l *csvLines) error {
		if text, ok := strings.CutPrefix(l.text, "#"); ok && r.rows == 0 {
			comment, last = text, l.first
			return nil
		}
		if r.rows == 0 {
			l.heading = false
			fields := strings.Fields(l.text)
			r.setBlanks(l, len(fields) > 1 && !slices.ContainsFunc(fields, r.isText))
		}
		r.rows++
		return r.eachField(l, func(i, _ int, s string) error {
			switch {
			case i == mostColumns:
				return fileError{r.path, fmt.Errorf("line %d has more than %s columns; -dtype auto takes no more", l.first,
					words.Count(mostColumns))}
			case r.rows == 1:
				top, columns = append(top, s), append(columns, value.Column{})
			default:
				r.add(&columns[i], s)
			}
			return nil
		})
	})
	switch {
	case err != nil:
		return err
	case r.rows == 0:
		return fileError{r.path, errors.New("no values from which to choose a dtype")}
	}
	var names []string
	if r.isHeader(top, columns) {
		names, r.headerLine = top, r.first
		r.rows--
	} else {
		names, r.headerLine = r.commentNames(comment), last
		for i, s := range top {
			r.add(&columns[i], s)
		}
	}
	if err := r.choose(columns, names); err != nil {
		return fileError{r.path, err}
	}
	what := "no header line"
	if names != nil {
		what = fmt.Sprintf("line %d is the header", r.headerLine)
	}
	r.env.warn(r.path, fmt.Errorf("%s; dtype %v", what, r.dtype))
	return nil
}

// add adds the field s to a column.
func (r *csvReader) add(c *value.Column, s string) {
	if r.format.isMissing(s) {
		c.AddMissing(s)
	} else {
		c.Add(s)
	}
}

// isText reports whether the field s is a value that is neither a number, a bool nor a time.
func (r *csvReader) isText(s string) bool {
	var c value.Column
	r.add(&c, s)
	return c.IsText()
}

// isHeader reports whether the line top is a header of columns: it has only text and empty fields, and some column
// below a text is not text.
func (r *csvReader) isHeader(top []string, columns []value.Column) bool {
	found := false
	for i, s := range top {
		isText := r.isText(s)
		if !isText && strings.TrimSpace(s) != "" {
			return false
		}
		found = found || isText && columns[i].HasValues() && !columns[i].IsText()
	}
	return found
}

// commentNames returns the names of the columns in a comment, as numpy.savetxt writes them, or nil if the comment is
// not a list of names: one word for each of two or more columns.
func (r *csvReader) commentNames(comment string) []string {
	l := csvLines{text: strings.TrimSpace(comment), delimiter: r.format.delimiter, blanks: r.blanks}
	names, err := l.fields(r.columns + 1)
	if err != nil || len(names) != r.columns || r.columns < 2 || slices.ContainsFunc(names, func(s string) bool {
		return len(strings.Fields(s)) != 1 || !r.isText(s)
	}) {
		return nil
	}
	return names
}

// choose sets the dtype. Columns without names become one array if they are of one kind. Other columns become fields of
// records; fields without a name are called f0, f1 and so on.
func (r *csvReader) choose(columns []value.Column, names []string) error {
	fields := make([]dtype.Field, len(columns))
	var merged value.Column
	alike := names == nil
	for i, c := range columns {
		if names != nil {
			fields[i].Name = strings.TrimSpace(names[i])
		}
		if fields[i].Name == "" {
			fields[i].Name = fmt.Sprint("f", i)
		}
		fields[i].Type = r.dtypeOf(c, fields[i].Name)
		merged.Merge(c)
		alike = alike && kindOf(fields[i].Type) == kindOf(fields[0].Type)
	}
	if alike {
		r.dtype = r.dtypeOf(merged, "")
		alike = kindOf(r.dtype) == kindOf(fields[0].Type) // not if float64 rounds some integers
	}
	var err error
	if !alike {
		if len(fields) > mostCells {
			return fmt.Errorf("line %d has %s columns; records, for columns with names or of several kinds, have at most %s",
				r.first, words.Count(len(fields)), words.Count(mostCells))
		}
		if r.dtype, err = dtype.Packed(fields...); err != nil {
			return fmt.Errorf("line %d: header: %s", r.headerLine, strings.TrimPrefix(err.Error(), "dtype: "))
		}
		for i := range fields {
			r.order = append(r.order, i)
		}
	}
	if r.cells, err = cellsOf(r.dtype); err == nil {
		err = r.format.checkFill(r.cells)
	}
	return err
}

// dtypeOf returns the dtype of a column, or of several columns together. name is the name of its field.
func (r *csvReader) dtypeOf(c value.Column, name string) dtype.DType {
	return c.DType(func(d dtype.DType) bool {
		s, ok := r.format.fillOf(cell{name: name, d: d})
		if !ok {
			return false
		}
		_, err := value.AppendField(nil, d, s)
		return err == nil
	})
}

// kindOf returns the kind of a chosen dtype. It is the same for all numbers.
func kindOf(d dtype.DType) dtype.Kind {
	if d.Kind() == dtype.KindInt || d.Kind() == dtype.KindUint {
		return dtype.KindFloat
	}
	return d.Kind()
}
