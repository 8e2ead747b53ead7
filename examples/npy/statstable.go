package main

import (
	"strings"

	"github.com/ndmap/ndmap/examples/npy/words"
)

// writeSubject writes the summary of an array, or of the fields of records, as the flags demand.
func (e *env) writeSubject(s *statsFlags, sub *subject) error {
	if len(sub.fields) > 0 && !s.json && !s.draws() {
		e.newBlock()
		writeLine(e.out, "file", "%s", sub.path)
		writeLine(e.out, "shape", "%s", words.Shape(sub.shape))
		writeLine(e.out, "elements", "%s", words.Count(sub.size))
		if len(sub.others) > 0 {
			writeLine(e.out, "note", "other fields: %s", strings.Join(sub.others, ", "))
		}
		e.out.WriteByte('\n')
		e.writeSummaries(s, []*subject{sub}, false)
		return nil
	}
	for _, one := range sub.each() {
		if s.json {
			one.writeJSON(e.out, s.qs.qs)
		} else {
			e.newBlock()
			one.write(e.out, s.qs.qs, bars{e.columns, s.log, e.colours})
		}
	}
	return nil
}

// each returns the arrays or fields that have a summary of their own.
func (sub *subject) each() []*subject {
	if sub.all == nil {
		return sub.fields
	}
	return []*subject{sub}
}

// writeSummaries writes a table with a row for each array and each field of records. It has a column for the files if
// withFiles is set, and one for the fields if there are any.
func (e *env) writeSummaries(s *statsFlags, all []*subject, withFiles bool) {
	withFields := false
	for _, sub := range all {
		withFields = withFields || sub.all == nil
	}
	var titles []string
	var left []bool
	add := func(isLeft bool, names ...string) {
		for _, name := range names {
			titles, left = append(titles, name), append(left, isLeft)
		}
	}
	if withFiles {
		add(true, "file")
	}
	if withFields {
		add(true, "field")
	}
	add(true, "dtype")
	add(false, "count", "missing", "min", "max", "mean", "std")
	for _, q := range s.qs.qs {
		add(false, quantileName(q))
	}
	var rows []row
	for _, sub := range all {
		for _, one := range sub.each() {
			var r row
			if withFiles {
				r.text = append(r.text, words.Printable(one.path))
			}
			if withFields {
				r.text = append(r.text, words.Printable(one.field))
			}
			r.text = append(r.text, one.cells()...)
			rows = append(rows, r)
		}
	}
	e.newTable(titles, left).write(rows)
}

// cells returns the texts of a row, beginning with the dtype. An undefined value is "-".
func (sub *subject) cells() []string {
	s, d := sub.all, sub.dtype
	text := []string{words.Printable(d.String()), words.Count(sub.size - s.nan), words.Count(s.nan)}
	add := func(size int, values ...any) {
		for _, x := range values {
			if x == nil {
				text = append(text, "-")
			} else {
				text = append(text, valueText(d, x, size))
			}
		}
	}
	add(floatSize(d), s.min, s.max)
	mean, std, size := s.significantDigits(d, sub.size)
	add(size, mean)
	add(8, std)
	add(8, s.quantiles...)
	return text
}
