// Package where evaluates conditions on the rows of an array, such as "price > 100".
package where

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nearest"
)

// A Column names one value of each row of an array. Rows lie along the first axis.
type Column struct {
	field string // path of a field, or "" for the elements themselves
	index []int  // indices of the remaining axes
}

// A Condition compares a column with a value.
type Condition struct {
	column Column
	op     string // =, !=, <, <=, > or >=
	value  string
	quoted bool // value was quoted
}

// Syntax describes conditions in messages.
const Syntax = `want FIELD OP VALUE with one of = != < <= > >=, such as 'price > 100', '[2] > 0.5' or '> 0.5'`

// Parse parses a condition: a column, an operator and a value. The operator == means =. Blanks around the three do not
// count. A value in quotes is text with all of its blanks.
func Parse(s string) (c Condition, err error) {
	at := indexUnquoted(s, "=!<>")
	if at < 0 {
		return c, errors.New("no operator; " + Syntax)
	}
	if c.column, err = ParseColumn(s[:at]); err != nil {
		return c, err
	}
	for _, op := range []string{"==", "!=", "<=", ">=", "=", "<", ">"} {
		if rest, ok := strings.CutPrefix(s[at:], op); ok {
			c.op, c.value = op, strings.TrimSpace(rest)
			break
		}
	}
	if c.op == "==" {
		c.op = "="
	}
	c.value, c.quoted = unquote(c.value)
	switch {
	case c.op != "" && c.value == "" && !c.quoted:
		return c, errors.New("no value; " + Syntax)
	case c.op == "" || !c.quoted && strings.ContainsRune("=!<>", rune(c.value[0])):
		return c, errors.New("unknown operator; " + Syntax + "; quote text that begins with an operator")
	}
	return c, nil
}

// ParseColumn parses the name of a column: the path of a field (pos.x), indices of the remaining axes ([2] or
// [0,-1]), or both (pos[2]). Nothing, or a dot, stands for the elements of one dimension. A name in quotes may contain
// any other characters.
func ParseColumn(s string) (Column, error) {
	var c Column
	s = strings.TrimSpace(s)
	if at := indexUnquoted(s, "["); at >= 0 {
		list, ok := strings.CutSuffix(s[at+1:], "]")
		for text := range strings.SplitSeq(list, ",") {
			i, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil || !ok {
				return c, fmt.Errorf("invalid column %q; want integers in brackets, such as [2] or [0,-1]", s[at:])
			}
			c.index = append(c.index, i)
		}
		s = strings.TrimSpace(s[:at])
	}
	quoted := false
	if c.field, quoted = unquote(s); c.field == "." && !quoted {
		c.field = ""
	}
	return c, nil
}

// Quote returns the field of this name as [Parse], [ParseColumn] and [Names] read it: with quotes around the name if
// necessary. ok is false if neither single nor double quotes can stand around it.
func Quote(field string) (text string, ok bool) {
	for _, quote := range []string{"", `"`, "'"} {
		text = quote + field + quote
		c, err := Parse(text + "=0")
		if err == nil && c.column.field == field && c.column.index == nil && field != "" && len(Names(text)) == 1 {
			return text, true
		}
	}
	return "", false
}

// Quoted returns the fields as [Quote] returns them. It omits fields that no condition can name.
func Quoted(fields []string) (texts []string) {
	for _, field := range fields {
		if text, ok := Quote(field); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// Names splits a list of fields at the commas that are not in quotes around a name.
func Names(list string) (names []string) {
	for {
		at := indexUnquoted(list, ",")
		if at < 0 {
			return append(names, list)
		}
		names, list = append(names, list[:at]), list[at+1:]
	}
}

// FindName returns the first that exists of name, name without blanks around it, and name also without quotes. If none
// exists, it returns the last one, and false.
func FindName(name string, exists func(name string) bool) (found string, ok bool) {
	trimmed := strings.TrimSpace(name)
	unquoted, _ := unquote(trimmed)
	for _, found = range []string{name, trimmed, unquoted} {
		if exists(found) {
			return found, true
		}
	}
	return found, false
}

// indexUnquoted returns the position of the first of chars in s that is not in quotes, or -1.
func indexUnquoted(s, chars string) int {
	quote := rune(0)
	for i, r := range s {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case strings.ContainsRune(chars, r):
			return i
		case (r == '"' || r == '\'') && strings.TrimSpace(s[:i]) == "": // a quote inside a name is a letter
			quote = r
		}
	}
	return -1
}

// unquote removes the quotes around s, if there are any.
func unquote(s string) (text string, quoted bool) {
	if n := len(s); n >= 2 && (s[0] == '"' || s[0] == '\'') && s[n-1] == s[0] {
		return s[1 : n-1], true
	}
	return s, false
}

// String returns the column as ParseColumn reads it.
func (c Column) String() string {
	s, ok := Quote(c.field)
	if !ok { // no text stands for this field
		s = c.field
	}
	if c.index != nil {
		s += strings.ReplaceAll(fmt.Sprint(c.index), " ", ",")
	}
	if s == "" {
		return "."
	}
	return s
}

// Of returns the column of a: one dimension with a value for each row, in the memory of a. The error says which columns
// exist.
func (c Column) Of(a array.Array) (array.Array, error) {
	d := a.DType()
	switch {
	case a.NDim() == 0:
		return a, errors.New("the array has no dimensions, and so no rows")
	case c.field != "":
		col, err := a.Field(c.field)
		if err != nil {
			return a, MissingField(c.field, Quoted(Fields(d)))
		}
		a = col
	case d.NumField() > 0:
		return a, fmt.Errorf("the rows are structures; name a field: %s", strings.Join(Quoted(Fields(d)), ", "))
	}
	if a.DType().NumField() > 0 {
		return a, fmt.Errorf("field %s is a structure; name one of its fields: %s", c.field,
			strings.Join(Quoted(within(c.field, Fields(a.DType()))), ", "))
	}
	if n := a.NDim() - 1; len(c.index) != n {
		what := "a row"
		if c.field != "" {
			what = "field " + c.field
		}
		if n == 0 {
			return a, fmt.Errorf("%s has a single value; remove the brackets of %v", what, c)
		}
		example := Column{c.field, make([]int, n)}
		return a, fmt.Errorf("%s has shape %s; name one of its values, such as %v", what, words.Shape(a.Shape()[1:]), example)
	}
	sel := []index.Selector{index.Colon}
	for _, i := range c.index {
		sel = append(sel, index.At(i))
	}
	return a.Select(sel...)
}

// MissingField returns the error for the name of a field that is not among fields.
func MissingField(name string, fields []string) error {
	if len(fields) == 0 {
		return fmt.Errorf("no field %q: the elements are not structures", name)
	}
	if near := nearest.Word(name, fields); near != "" {
		return fmt.Errorf("no field %q; did you mean %s?", name, near)
	}
	return fmt.Errorf("no field %q; the fields are %s", name, strings.Join(fields, ", "))
}

// Fields returns the paths of the fields of d, and of the fields of nested structures.
func Fields(d dtype.DType) (paths []string) {
	for f := range d.Base().Fields() { // Base also looks inside sub-arrays
		paths = append(append(paths, f.Name), within(f.Name, Fields(f.Type))...)
	}
	return paths
}

// within returns the paths of the fields of a structure as paths in the structure that has it as a field.
func within(field string, paths []string) []string {
	for k, path := range paths {
		paths[k] = field + "." + path
	}
	return paths
}
