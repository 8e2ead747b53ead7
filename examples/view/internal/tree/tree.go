// Package tree describes Python objects as a tree: for each value its type, the start of its text, and its children.
package tree

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/objects"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/table"
	"github.com/ndmap/ndmap/index"
)

const (
	MaxDepth = 100 // maximum number of levels that are shown; a list may contain itself
	MaxCount = 200 // maximum number of children in a Page
)

// An Item is a value in a container.
type Item struct {
	Label string `json:"label"` // index, key or name of a field
	Type  string `json:"type"`  // name of the Python type
	Text  string `json:"text"`  // start of the text that Python's repr shows
	Count int    `json:"count"` // number of children; 0 if the value has none, or if its level is MaxDepth
}

// A Page has consecutive children of a container, starting at index From. Total is the number of all children.
type Page struct {
	From  int    `json:"from"`
	Total int    `json:"total"`
	Items []Item `json:"items"`
}

// Children returns up to count children of the value at path, starting at index from. The path consists of the indices
// of children, starting at a itself. The cost does not depend on the sizes of the values.
func Children(a objects.Array, path []int, from, count int) (*Page, error) {
	if len(path) >= MaxDepth {
		return nil, fmt.Errorf("path has %d levels: at most %d levels are shown", len(path), MaxDepth)
	}
	v := value{any: a, d: a.DType}
	for k, i := range path {
		n := v.count()
		if i >= n {
			return nil, fmt.Errorf("path=%d at level %d: the value has %d children", i, k, n)
		}
		_, v = v.child(i)
	}
	p := &Page{Total: v.count(), Items: []Item{}}
	p.From = min(from, p.Total)
	for i := p.From; i < p.From+min(count, MaxCount, p.Total-p.From); i++ {
		label, c := v.child(i)
		item := Item{Label: label, Type: c.typeName(), Text: c.text()}
		if len(path)+1 < MaxDepth {
			item.Count = c.count()
		}
		p.Items = append(p.Items, item)
	}
	return p, nil
}

// A value is a Python object. d is the dtype of an element of an array of objects; it names the fields of a record.
type value struct {
	any
	d dtype.DType
}

// count returns the number of children.
func (v value) count() int {
	switch x := v.any.(type) {
	case objects.Array:
		return len(x.Values)
	case objects.List:
		return len(x)
	case objects.Tuple:
		return len(x)
	case objects.Set:
		return len(x)
	case objects.Dict:
		return len(x)
	case array.Array:
		if x.NDim() > 0 {
			return x.Size()
		}
	}
	return 0
}

// child returns child i and its label.
func (v value) child(i int) (label string, child value) {
	label = strconv.Itoa(i)
	switch x := v.any.(type) {
	case objects.Array:
		return position(i, x.Shape), value{x.Values[i], x.DType}
	case objects.List:
		child.any = x[i]
	case objects.Tuple:
		child.any = x[i]
		if v.isRecord(x) {
			f := v.d.FieldAt(i)
			label, child.d = clip(f.Name), f.Type
		}
	case objects.Set:
		child.any = x[i]
	case objects.Dict:
		return repr(x[i].Key), value{any: x[i].Value}
	case array.Array:
		at := make([]int, x.NDim())
		index.Unravel(i, x.Shape(), at, index.C)
		sel := make([]index.Selector, len(at))
		for k, n := range at {
			sel[k] = index.At(n)
		}
		e, err := x.Select(sel...)
		if err != nil {
			return label, value{any: err.Error()} // unreachable
		}
		return position(i, x.Shape()), value{any: e}
	}
	return label, child
}

// position formats the indices of element i of an array. An array without dimensions has a single element.
func position(i int, shape []int) string {
	if len(shape) == 0 {
		return "value"
	}
	at := make([]int, len(shape))
	index.Unravel(i, shape, at, index.C)
	return strings.ReplaceAll(fmt.Sprint(at), " ", ", ")
}

// isRecord reports whether t, the value v, is an element of a structured dtype.
func (v value) isRecord(t objects.Tuple) bool {
	return v.d.NumField() > 0 && v.d.NumField() == len(t)
}

// typeName returns the name of the type in Python.
func (v value) typeName() string {
	switch x := v.any.(type) {
	case nil:
		return "None"
	case bool:
		return "bool"
	case int64, *big.Int:
		return "int"
	case float64:
		return "float"
	case complex128:
		return "complex"
	case string:
		return "str"
	case []byte:
		return "bytes"
	case time.Time:
		if x.Location() == objects.Date {
			return "date"
		}
		return "datetime"
	case time.Duration:
		return "timedelta"
	case objects.List:
		return "list"
	case objects.Tuple:
		if v.isRecord(x) {
			return "record"
		}
		return "tuple"
	case objects.Set:
		return "set"
	case objects.Dict:
		return "dict"
	case objects.Array:
		return arrayType(x.DType, x.Shape)
	case array.Array:
		return arrayType(x.DType(), x.Shape())
	}
	return fmt.Sprintf("%T", v.any)
}

// arrayType returns the dtype and the shape of an array, or the dtype of a scalar.
func arrayType(d dtype.DType, shape []int) string {
	text := clip(d.String())
	if len(shape) > 0 {
		text = "array " + text + " " + strings.ReplaceAll(fmt.Sprint(shape), " ", " × ")
	}
	return text
}

// text returns the start of the text of v.
func (v value) text() string {
	switch x := v.any.(type) {
	case array.Array:
		if x.NDim() == 0 {
			return table.Text(x)
		}
		return "" // the type says enough
	case objects.Array:
		return ""
	}
	return repr(v.any)
}
