package main

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/jsontext"
	"github.com/ndmap/ndmap/internal/render"
)

// A cell is the value in one column of a table: the element itself, or one value inside a structure.
type cell struct {
	name string // pos.x, tag[1]; "" if the elements are not structures
	d    dtype.DType
	off  int
}

// mostCells is the maximum number of columns for the values of structures.
const mostCells = 1 << 12

// cellsOf returns the cells of elements of dtype d. Nested structures and sub-arrays are flattened.
func cellsOf(d dtype.DType) ([]cell, error) {
	cells := appendCells(nil, d, "", 0)
	switch {
	case len(cells) > mostCells:
		return nil, fmt.Errorf("structures of more than %d values do not fit a table; choose a field with -field",
			mostCells)
	case len(cells) == 0:
		return nil, fmt.Errorf("dtype %v has no fields for the columns of a table", d)
	}
	return cells, nil
}

// appendCells appends the cells of an element at off. It stops early once there are more than mostCells.
func appendCells(cells []cell, d dtype.DType, name string, off int) []cell {
	switch d.Kind() {
	case dtype.KindStructured:
		for f := range d.Fields() {
			path := f.Name
			if name != "" {
				path = name + "." + f.Name
			}
			if cells = appendCells(cells, f.Type, path, off+f.Offset); len(cells) > mostCells {
				break
			}
		}
		return cells
	case dtype.KindSubarray:
		for idx := range index.All(d.SubShape(), index.C) {
			k := index.Ravel(idx, d.SubShape(), index.C)
			at := strings.ReplaceAll(strings.Trim(fmt.Sprint(idx), "[]"), " ", ",")
			n := len(cells)
			cells = appendCells(cells, d.Base(), name+"["+at+"]", off+k*d.Base().ItemSize())
			if len(cells) == n || len(cells) > mostCells {
				break
			}
		}
		return cells
	}
	return append(cells, cell{name, d, off})
}

// isLeftAligned reports whether the column of c is left-aligned. Columns of text and long doubles are.
func (c cell) isLeftAligned() bool { return isText(c.d) || c.d.IsLongDouble() }

// text appends the value at c of the element b. The result can be read back by set, except that text is written without
// quotes or escapes, bytes as Latin-1, and durations as numbers.
func (c cell) text(dst, b []byte) ([]byte, error) {
	d := c.d
	b = b[c.off : c.off+d.ItemSize()]
	if d.IsLongDouble() {
		return hex.AppendEncode(dst, b), nil
	}
	switch d.Kind() {
	case dtype.KindBool:
		if b[0] != 0 {
			return append(dst, "True"...), nil
		}
		return append(dst, "False"...), nil
	case dtype.KindInt:
		return strconv.AppendInt(dst, render.Int(d, b), 10), nil
	case dtype.KindUint:
		return strconv.AppendUint(dst, render.Uint(d, b), 10), nil
	case dtype.KindComplex:
		re, im := render.Complex(d, b)
		return appendComplex(dst, re, im, d.ItemSize()/2), nil
	case dtype.KindBytes, dtype.KindUnicode:
		for c := range render.Points(d, b) {
			if err := render.CheckPoint(c); err != nil {
				return dst, err
			}
			dst = append(dst, string(rune(c))...)
		}
		return dst, nil
	case dtype.KindDatetime:
		return append(dst, render.Time(d, render.Int(d, b))...), nil
	case dtype.KindTimedelta:
		if x := render.Int(d, b); x != dtype.NaT {
			return strconv.AppendInt(dst, x, 10), nil
		}
		return append(dst, "NaT"...), nil
	}
	if size, ok := render.FloatSize(d); ok {
		return appendFloat(dst, render.Real(d, b), size), nil
	}
	return hex.AppendEncode(dst, b), nil // raw bytes
}

// checkCells returns an error if an element of a, read as dtype d, contains text that cannot be written. It runs before
// anything is written.
func checkCells(a array.Array, d dtype.DType, cells []cell) error {
	texts := slices.DeleteFunc(slices.Clone(cells), func(c cell) bool { return c.d.Kind() != dtype.KindUnicode })
	if len(texts) == 0 {
		return nil
	}
	at := 0
	var text []byte
	return blocks(a, d, func(b []byte, n int) (err error) {
		for i := range n {
			for _, c := range texts {
				if text, err = c.text(text[:0], b[i*d.ItemSize():]); err == nil {
					continue
				}
				idx, name := make([]int, a.NDim()), ""
				index.Unravel(at+i, a.Shape(), idx, index.C)
				if c.name != "" {
					name = " field " + c.name
				}
				return fmt.Errorf("element %s%s: %w; npy print escapes it", words.Shape(idx), name, err)
			}
		}
		at += n
		return nil
	})
}

// appendFloat appends x, a float of size bytes, as [jsontext.AppendFloat] does, such as 1.0 or 1e-05, but writes nan
// and inf as NumPy does.
func appendFloat(dst []byte, x float64, size int) []byte {
	if !finite(x) {
		return append(dst, render.Float(x, size)...)
	}
	return jsontext.AppendFloat(dst, x, size)
}

// appendComplex appends a complex number as Python writes it: (1+2j), or 2j if the real part is zero.
func appendComplex(dst []byte, re, im float64, size int) []byte {
	part := func(x float64) string { return strings.TrimSuffix(string(appendFloat(nil, x, size)), ".0") }
	if re == 0 && !math.Signbit(re) {
		return append(append(dst, part(im)...), 'j')
	}
	dst = append(append(dst, '('), part(re)...)
	if second := part(im); second[0] == '-' {
		dst = append(dst, second...)
	} else {
		dst = append(append(dst, '+'), second...)
	}
	return append(dst, "j)"...)
}

// blocks calls f with the elements of a, read as dtype d, in C order. Each call gets n elements in b. The memory needed
// does not grow with a.
func blocks(a array.Array, d dtype.DType, f func(b []byte, n int) error) error {
	const most = 1 << 20 // bytes
	var buf []byte
	var walk func(a array.Array) error
	walk = func(a array.Array) error {
		size := max(1, a.ItemSize(), d.ItemSize())
		switch {
		case a.Size() == 0:
			return nil
		case a.NDim() == 0 || a.Size() <= max(1, most/size):
			var err error
			if buf, err = gatherAs(a, d, buf); err != nil {
				return err
			}
			return f(buf, a.Size())
		}
		n, row := a.Len(0), a.Size()/a.Len(0)
		if row > max(1, most/size) {
			for i := range n {
				if err := walk(a.Index(i)); err != nil {
					return err
				}
			}
			return nil
		}
		for i, step := 0, max(1, most/size/row); i < n; i += step {
			part, err := a.Select(index.Range(i, min(i+step, n)))
			if err == nil {
				err = walk(part)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	return walk(a)
}

// gatherAs returns the elements of a, read as dtype d, as consecutive bytes in C order. It uses buf if buf is large
// enough.
func gatherAs(a array.Array, d dtype.DType, buf []byte) ([]byte, error) {
	n := a.Size() * d.ItemSize()
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	dst, err := array.FromBytes(buf[:n], d, index.C, a.Shape()...)
	if err != nil {
		return nil, err
	}
	return buf[:n], array.Copy(dst, a)
}
