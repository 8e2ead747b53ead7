package main

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/dtype"
)

// A csvFormat describes the text of a CSV file: the separator of its columns, and its missing values.
type csvFormat struct {
	delimiter string            // one character, or "" for the delimiter that the name of the file suggests
	missing   []string          // texts of missing values
	fill      map[string]string // values that replace missing values, by field; "" is the key for all fields
}

// csvFlags declares the flags of a csvFormat.
func csvFlags(set *flag.FlagSet) *csvFormat {
	f := &csvFormat{fill: map[string]string{}}
	set.Var((*delimiterFlag)(&f.delimiter), "delimiter",
		"the `character` between the columns of CSV, or tab (default: tab in .tsv files, comma in other files)")
	set.Func("missing", "the `text` of missing values in CSV, in addition to empty cells; may be repeated",
		func(s string) error {
			f.missing = append(f.missing, strings.TrimSpace(s))
			return nil
		})
	set.Func("fill",
		"the `value` that replaces missing values of CSV, or FIELD=VALUE; may be repeated (default NaN or NaT)",
		func(s string) error {
			i := strings.LastIndexByte(s, '=') // numbers and times have none
			field := s[:max(i, 0)]
			if _, twice := f.fill[field]; twice {
				return errors.New("the same field, or all fields, have a value already")
			}
			f.fill[field] = s[i+1:]
			return nil
		})
	return f
}

// A delimiterFlag is the flag -delimiter.
type delimiterFlag string

func (f *delimiterFlag) String() string    { return "" }
func (f *delimiterFlag) choices() []string { return []string{"tab"} }
func (f *delimiterFlag) Set(s string) error {
	if s == "tab" || s == `\t` {
		s = "\t"
	}
	if utf8.RuneCountInString(s) != 1 || !utf8.ValidString(s) || strings.Contains("\"#\r\n", s) {
		return errors.New("want tab, or one character that is not a double quote, # or a line break")
	}
	*f = delimiterFlag(s)
	return nil
}

// isGiven reports whether any flag of f was given.
func (f *csvFormat) isGiven() bool { return f.delimiter != "" || len(f.missing) > 0 || len(f.fill) > 0 }

// delimiterFor returns the delimiter of the CSV file at path.
func (f *csvFormat) delimiterFor(path string) string {
	switch {
	case f.delimiter != "":
		return f.delimiter
	case hasExtension(path, ".tsv"):
		return "\t"
	}
	return ","
}

// isMissing reports whether the text s marks a missing value, unless the values are text.
func (f *csvFormat) isMissing(s string) bool {
	s = strings.TrimSpace(s)
	return s == "" || slices.Contains(f.missing, s)
}

// fillOf returns the text of the value that replaces missing values of c. It returns false if none does.
func (f *csvFormat) fillOf(c cell) (string, bool) {
	s, ok := f.fill[c.name]
	if ok {
		return s, true
	}
	if isTime(c.d) {
		return "NaT", true
	}
	if s, ok = f.fill[""]; ok {
		return s, true
	}
	switch c.d.Kind() {
	case dtype.KindFloat, dtype.KindComplex, dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		return "nan", true
	}
	return "", false
}

// checkFill returns an error if f has a value for a field that is not in cells.
func (f *csvFormat) checkFill(cells []cell) error {
	for _, field := range slices.Sorted(maps.Keys(f.fill)) {
		if field != "" && !slices.ContainsFunc(cells, func(c cell) bool { return c.name == field }) {
			return fmt.Errorf("unknown field %q in -fill", clipText(field))
		}
	}
	return nil
}

// isCSVName reports whether the name of a file has an extension of CSV.
func isCSVName(path string) bool { return hasExtension(path, ".csv") || hasExtension(path, ".tsv") }

// hasExtension reports whether path ends in the four bytes of ext, in upper or lower case.
func hasExtension(path, ext string) bool { return strings.EqualFold(path[max(0, len(path)-4):], ext) }
