package main

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/render"
)

// A leaf describes n consecutive booleans or texts at an offset of each element, or n structures that contain leaves.
type leaf struct {
	d      dtype.DType // dtype of one item
	name   string      // " field " and the path of the field, or ""
	off, n int
	leaves []leaf // leaves of one structure
}

// appendLeaves appends the leaves of n consecutive items of dtype d at off. The number of leaves does not depend on n.
func appendLeaves(s []leaf, d dtype.DType, n int, name string, off int) []leaf {
	switch d.Kind() {
	case dtype.KindBool, dtype.KindUnicode:
		s = append(s, leaf{d, name, off, n, nil})
	case dtype.KindStructured:
		var leaves []leaf
		for f := range d.Fields() {
			path := " field " + f.Name
			if name != "" {
				path = name + "." + f.Name
			}
			leaves = appendLeaves(leaves, f.Type, 1, path, f.Offset)
		}
		if len(leaves) > 0 {
			s = append(s, leaf{d, name, off, n, leaves})
		}
	case dtype.KindSubarray:
		if size := d.Base().ItemSize(); size > 0 {
			s = appendLeaves(s, d.Base(), n*(d.ItemSize()/size), name, off)
		}
	}
	return s
}

// findInvalid returns the offset, the field and a description of the first invalid item of l in the element b. msg is
// "" if all items are valid.
func (l *leaf) findInvalid(b []byte) (at int, name, msg string) {
	size := l.d.ItemSize()
	for start := l.off; start < l.off+l.n*size; start += size {
		item := b[start : start+size]
		for k := range l.leaves {
			if at, name, msg := l.leaves[k].findInvalid(item); msg != "" {
				return start + at, name, msg
			}
		}
		switch l.d.Kind() {
		case dtype.KindBool:
			if item[0] > 1 {
				return start, l.name, fmt.Sprintf("the boolean is %d; want 0 or 1", item[0])
			}
		case dtype.KindUnicode:
			for i := 0; i < size; i += 4 {
				if err := render.CheckPoint(uint32(render.Uint(l.d, item[i:i+4]))); err != nil {
					return start + i, l.name, err.Error()
				}
			}
		}
	}
	return 0, "", ""
}
