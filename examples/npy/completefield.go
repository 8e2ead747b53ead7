package main

import (
	"os"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/where"
)

// fieldFlags maps the flags that take names of fields to functions that return the possible values, given the names and
// the beginning of the value.
var fieldFlags = map[string]func(names []string, word string) []string{
	"field":  func(names []string, _ string) []string { return names },
	"fields": fieldLists,
	"sort":   func(names []string, _ string) []string { return where.Quoted(names) },
	"where":  func(names []string, _ string) []string { return where.Quoted(names) },
}

// fieldLists returns the lists that continue word, a list of fields, by one more field.
func fieldLists(names []string, word string) (lists []string) {
	given := word[:strings.LastIndexByte(word, ',')+1]
	for _, name := range names {
		if !strings.Contains(name, ",") { // a comma separates names
			lists = append(lists, given+name)
		}
	}
	return lists
}

// fields returns the names of the fields of the first file in the arguments of c. Names of nested fields are paths.
func (c *command) fields(args []string) []string {
	set := c.flagSet()
	files, _ := c.parse(set, args) // after an error, the files before it
	if raw := set.Lookup("raw"); raw != nil {
		if d, ok := raw.Value.(*dtypeFlag); ok && d.given {
			return where.Fields(d.DType)
		}
	}
	if len(files) == 0 || files[0] == stream || isURL(files[0]) {
		return nil
	}
	d, err := dtypeOf(files[0])
	if err != nil {
		return nil
	}
	return where.Fields(d)
}

// dtypeOf returns the dtype in the header of the .npy file or the member at path. It opens regular files only, because
// opening a pipe would block.
func dtypeOf(path string) (d dtype.DType, err error) {
	if file, name, ok := splitMember(path); ok {
		if !isArchive(file) {
			return d, os.ErrInvalid
		}
		a, err := openArchive(file, array.ReadOnly)
		if err != nil {
			return d, err
		}
		defer a.Close()
		h, err := memberHeader(a, name)
		return h.dtype, err
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return d, os.ErrInvalid
	}
	f, err := os.Open(path)
	if err != nil {
		return d, err
	}
	defer f.Close()
	r, err := array.NewReader(f)
	if err != nil {
		return d, err
	}
	return r.DType(), nil
}
