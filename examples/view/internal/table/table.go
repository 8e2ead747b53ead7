// Package table formats elements as text, one at a time or in rows and columns.
package table

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/index"
)

const (
	maxText  = 1000    // characters of an element's text
	maxBytes = 4 << 10 // bytes of an element that are read
)

// Text formats an array without dimensions as NumPy prints it, strings without quotes. It shortens long texts and
// appends "…".
func Text(a array.Array) string {
	d := a.DType()
	long := a.ItemSize() > maxBytes
	if long && a.NDim() > 0 {
		return fmt.Sprintf("(%d of %v)", a.Size(), d)
	}
	if long {
		switch d.Kind() {
		case dtype.KindBytes, dtype.KindUnicode, dtype.KindVoid:
			a = truncateText(a)
		default:
			return fmt.Sprintf("(%d bytes)", a.ItemSize())
		}
	}
	if pick.Long(d) && a.NDim() == 0 {
		if s, err := pick.LongText(a); err == nil {
			return s
		}
	}
	// fmt would print the panic of a page fault as part of the text. Clone reads the element outside fmt, so that the
	// fault reaches mmap.Guard.
	a, err := a.Clone(index.C)
	if err != nil {
		return err.Error()
	}
	s := strings.ReplaceAll(fmt.Sprintf("%s", a), "\n", " ")
	if utf8.RuneCountInString(s) > maxText {
		n := 0
		for i := range s {
			if n++; n > maxText {
				s, long = s[:i], true
				break
			}
		}
	}
	if long {
		s += "…"
	}
	return s
}

// truncateText returns the first maxBytes bytes of a, a single string that is longer.
func truncateText(a array.Array) array.Array {
	d := a.DType()
	short := map[dtype.Kind]dtype.DType{
		dtype.KindBytes:   dtype.Bytes(maxBytes),
		dtype.KindUnicode: dtype.Unicode(maxBytes / 4).WithByteOrder(d.ByteOrder()),
		dtype.KindVoid:    dtype.Void(maxBytes),
	}[d.Kind()]
	a, err := a.ExpandDims(0)
	if err == nil {
		a, err = a.Reinterpret(dtype.Void(1))
	}
	if err == nil {
		a, err = a.Select(index.Range(0, maxBytes))
	}
	if err == nil {
		a, err = a.Reinterpret(short)
	}
	if err != nil {
		panic(err) // unreachable: an element is contiguous
	}
	return a.Index(0)
}

// Number returns the single element of a as a float64. ok is false if it is not a real number.
func Number(a array.Array) (x float64, ok bool) {
	d := a.DType()
	if !d.IsNumber() || d.Kind() == dtype.KindComplex {
		return 0, false
	}
	v, err := array.Cast[float64](a)
	if err != nil {
		return 0, false
	}
	return v.At(), true
}

// A Table holds rows of an array as text.
type Table struct {
	From    int        `json:"from"`
	Rows    [][]string `json:"rows"`
	Columns []string   `json:"columns"`
}

// A Range selects Count indices of an axis, starting at From.
type Range struct{ From, Count int }

func (r Range) clip(n int) Range {
	from := min(r.From, n)
	return Range{from, min(r.Count, n-from)}
}

// Rows returns a Table of the given rows of a, along its first dimension. The columns are the second dimension, or the
// fields of a structure, or a single column. If a has no dimensions, the table has one row. Rows calls stop before each
// row and returns its error, if any.
func Rows(a array.Array, rows, cols Range, stop func() error) (*Table, error) {
	var err error
	if a.NDim() == 0 {
		if a, err = a.ExpandDims(0); err != nil {
			return nil, err
		}
	}
	rows = rows.clip(a.Len(0))
	t := &Table{From: rows.From, Rows: [][]string{}, Columns: []string{}}
	var columns []array.Array // each has the selected rows
	if a, err = a.Select(index.Range(rows.From, rows.From+rows.Count)); err != nil {
		return nil, err
	}
	switch {
	case a.NDim() == 2:
		cols = cols.clip(a.Len(1))
		for k := cols.From; k < cols.From+cols.Count; k++ {
			c, err := a.Select(index.Colon, index.At(k))
			if err != nil {
				return nil, err
			}
			columns, t.Columns = append(columns, c), append(t.Columns, strconv.Itoa(k))
		}
	case a.DType().NumField() > 0:
		d := a.DType()
		cols = cols.clip(d.NumField())
		for k := cols.From; k < cols.From+cols.Count; k++ {
			c, err := a.Field(d.FieldAt(k).Name)
			if err != nil {
				return nil, err
			}
			columns, t.Columns = append(columns, c), append(t.Columns, d.FieldAt(k).Name)
		}
	default:
		columns, t.Columns = []array.Array{a}, []string{"value"}
	}
	for i := range rows.Count {
		if err := stop(); err != nil {
			return nil, err
		}
		row := make([]string, len(columns))
		for k, c := range columns {
			row[k] = Text(c.Index(i))
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}
