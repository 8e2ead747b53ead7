package main

import (
	"bytes"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/render"
)

// distinct yields the first of the rows of c that are equal in the chosen fields. It keeps the bytes of the distinct
// rows in memory. Equal are all NaN, all NaT, and 0 and -0.
func (c *choice) distinct() batches {
	in := c.batches
	if in == nil {
		in = c.blocks()
	}
	d := c.dtype
	normal := !hasFloats(d)
	return func(yield func([]int, error) bool) {
		seen := map[string]bool{}
		size := c.rowBytes()
		buf := make([]byte, c.batch*size)
		for rows, err := range in {
			var fresh []int
			if err == nil {
				err = c.copyRows(buf, rows)
				for k := 0; err == nil && k < len(rows); k++ {
					row := buf[k*size : (k+1)*size]
					for e := row; !normal && len(e) > 0; e = e[d.ItemSize():] {
						normalize(d, e[:d.ItemSize()])
					}
					if !seen[string(row)] {
						seen[string(row)] = true
						fresh = append(fresh, rows[k])
					}
				}
			}
			if !yield(fresh, err) || err != nil {
				return
			}
		}
	}
}

// hasFloats reports whether elements of d contain floats or bools. These can be equal although their bytes differ.
func hasFloats(d dtype.DType) bool {
	switch d.Kind() {
	case dtype.KindSubarray:
		return hasFloats(d.Base())
	case dtype.KindStructured:
		for f := range d.Fields() {
			if hasFloats(f.Type) {
				return true
			}
		}
	}
	_, ok := render.FloatSize(d)
	return ok || d.Kind() == dtype.KindComplex || d.Kind() == dtype.KindBool
}

// normalize sets the element b of dtype d to the same bytes for equal values. It leaves long doubles as they are.
func normalize(d dtype.DType, b []byte) {
	switch d.Kind() {
	case dtype.KindStructured:
		for k := range d.NumField() {
			f := d.FieldAt(k)
			normalize(f.Type, b[f.Offset:f.Offset+f.Type.ItemSize()])
		}
	case dtype.KindSubarray:
		size := d.Base().ItemSize()
		for ; len(b) > 0; b = b[size:] {
			normalize(d.Base(), b[:size])
		}
	case dtype.KindBool:
		b[0] = min(b[0], 1)
	case dtype.KindComplex:
		if d.IsLongDouble() {
			return
		}
		re, im := render.Complex(d, b)
		normalizeFloat(re, b[:len(b)/2])
		normalizeFloat(im, b[len(b)/2:])
		if re != re || im != im {
			normalizeFloat(re+im, b)
		}
	default:
		if _, ok := render.FloatSize(d); ok {
			normalizeFloat(render.Real(d, b), b)
		}
	}
}

// normalizeFloat sets b, the bytes of x, to the same bytes for all NaN, and to zeros for 0 and -0.
func normalizeFloat(x float64, b []byte) {
	switch {
	case x == 0:
		clear(b)
	case x != x:
		copy(b, bytes.Repeat([]byte{0xFF}, len(b)))
	}
}
