package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/dtype"
)

// A column describes elements that are formatted alike, with the width of the widest of them.
type column struct {
	d      dtype.DType // not a sub-array
	n      int
	item   func(i int) []byte
	single bool // the element is not in an array, so it needs less padding
	limit  int  // maximum weight of an element that is written completely

	// leaf, if not nil, formats elements that are not structures, one at a time.
	leaf func(d dtype.DType, b []byte) string
}

// items returns a function for the field item of a column. It returns the i-th of the consecutive items of size bytes
// in b.
func items(b []byte, size int) func(i int) []byte {
	return func(i int) []byte { return b[i*size : (i+1)*size] }
}

// newFormat returns the format for all elements of c; see numpy/core/arrayprint.py, _get_format_function.
func newFormat(c column) Format {
	d := c.d
	if d.Kind() == dtype.KindStructured {
		return structFormat(c)
	}
	leaf := c.leaf
	if leaf == nil {
		leaf = leafFormat(c)
	}
	if d.ItemSize() <= c.limit || !d.IsVariable() {
		return func(b []byte) string { return leaf(d, b) }
	}
	return func(b []byte) string {
		begin, dots := truncate(d, b, c.limit)
		return leaf(d, begin) + dots
	}
}

// leafFormat implements newFormat for dtypes that are not structures. The format also accepts the start of a long text.
func leafFormat(c column) func(d dtype.DType, b []byte) string {
	text := func(f Format) func(dtype.DType, []byte) string {
		return func(_ dtype.DType, b []byte) string { return f(b) }
	}
	d := c.d
	switch d.Kind() {
	case dtype.KindBool:
		return text(func(b []byte) string {
			switch {
			case b[0] == 0:
				return "False"
			case c.single:
				return "True"
			}
			return " True"
		})
	case dtype.KindInt:
		return text(padded(c, func(b []byte) string { return strconv.FormatInt(Int(d, b), 10) }))
	case dtype.KindUint:
		return text(padded(c, func(b []byte) string { return strconv.FormatUint(Uint(d, b), 10) }))
	case dtype.KindFloat, dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		size, ok := FloatSize(d)
		if !ok {
			break
		}
		f := newFloatFormat(c.floats(0, d.ItemSize()), size, false)
		return text(func(b []byte) string { return f.format(Real(d, b)) })
	case dtype.KindComplex:
		if d.IsLongDouble() {
			break
		}
		return text(complexFormat(c))
	case dtype.KindDatetime:
		return text(timeFormat(c, func(b []byte) string { return "'" + Time(d, Int(d, b)) + "'" }))
	case dtype.KindTimedelta:
		return text(timeFormat(c, func(b []byte) string { return strconv.FormatInt(Int(d, b), 10) }))
	case dtype.KindBytes, dtype.KindUnicode:
		return func(d dtype.DType, b []byte) string { return writtenText(quote, d, b) }
	}
	return func(d dtype.DType, b []byte) string { return writtenText(rawText, d, b) }
}

// floats returns the floats of size bytes at offset off of each element.
func (c column) floats(off, size int) []float64 {
	s := make([]float64, c.n)
	for i := range s {
		s[i] = Real(c.d, c.item(i)[off:off+size])
	}
	return s
}

// padded returns a format that pads texts with spaces on the left to the width of the widest one.
func padded(c column, text Format) Format {
	width := 0
	for i := range c.n {
		width = max(width, len(text(c.item(i))))
	}
	return func(b []byte) string { return fmt.Sprintf("%*s", width, text(b)) }
}

func complexFormat(c column) Format {
	size := c.d.ItemSize() / 2
	re := newFloatFormat(c.floats(0, size), size, false)
	im := newFloatFormat(c.floats(size, size), size, true)
	return func(b []byte) string {
		x, y := Complex(c.d, b)
		s := im.format(y)
		digits := strings.TrimRight(s, " ")
		return re.format(x) + digits + "j" + s[len(digits):]
	}
}

// timeFormat pads times to the width of the earliest or the latest of them, whichever is wider, as NumPy does.
func timeFormat(c column, text Format) Format {
	lo, hi := -1, -1
	width := 0
	for i := range c.n {
		switch x := Int(c.d, c.item(i)); {
		case x == dtype.NaT:
			width = len("'NaT'")
		default:
			if lo < 0 || x < Int(c.d, c.item(lo)) {
				lo = i
			}
			if hi < 0 || x > Int(c.d, c.item(hi)) {
				hi = i
			}
		}
	}
	if lo >= 0 {
		width = max(width, len(text(c.item(lo))), len(text(c.item(hi))))
	}
	return func(b []byte) string {
		if Int(c.d, b) == dtype.NaT {
			return fmt.Sprintf("%*s", width, "'NaT'")
		}
		return fmt.Sprintf("%*s", width, text(b))
	}
}

// structFormat formats structures as tuples of their fields. Each field has one format for all elements. If the
// weight of a structure exceeds the limit, the fields after the limit are omitted, and the field at the limit is
// truncated.
func structFormat(c column) Format {
	var fields []Format
	left := c.limit
	for f := range c.d.Fields() {
		if left <= 0 {
			dots := fmt.Sprintf("… (%d fields)", c.d.NumField())
			fields = append(fields, func([]byte) string { return dots })
			break
		}
		fields = append(fields, fieldFormat(c, f, left))
		left -= min(left, Weight(f.Type))
	}
	return func(b []byte) string {
		texts := make([]string, len(fields))
		for k, text := range fields {
			texts[k] = text(b)
		}
		if len(texts) == 1 && c.leaf == nil {
			return "(" + texts[0] + ",)"
		}
		return "(" + strings.Join(texts, ", ") + ")"
	}
}

// fieldFormat returns the format of a field of all elements of c. The format takes the bytes of the whole element. If
// the weight of a sub-array exceeds the limit, it writes only the first values, as a flat list.
func fieldFormat(c column, f dtype.Field, limit int) Format {
	shape, base := f.Type.SubShape(), f.Type.Base()
	n, dots := 1, ""
	for _, length := range shape {
		n *= length
	}
	if shape != nil && Weight(f.Type) > limit {
		dots = fmt.Sprintf("… (%d values)", n)
		n = min(n, max(1, limit/Weight(base)))
		shape = []int{n}
	}
	size := base.ItemSize()
	value := newFormat(column{
		d: base, n: n * c.n, item: func(i int) []byte { return c.item(i / n)[f.Offset+i%n*size:][:size] },
		single: c.single && shape == nil, limit: limit, leaf: c.leaf,
	})
	return func(b []byte) string {
		b = b[f.Offset:]
		if dots == "" {
			s, _ := subarrayText(shape, size, b, value)
			return s
		}
		texts := make([]string, n)
		for i := range n {
			texts[i] = value(b[i*size:][:size])
		}
		return "[" + strings.Join(append(texts, dots), ", ") + "]"
	}
}

// subarrayText returns the values at the start of b as nested lists, and the remaining bytes of b.
func subarrayText(shape []int, size int, b []byte, value Format) (s string, rest []byte) {
	if len(shape) == 0 {
		return value(b[:size]), b[size:]
	}
	texts := make([]string, shape[0])
	for i := range texts {
		texts[i], b = subarrayText(shape[1:], size, b, value)
	}
	return "[" + strings.Join(texts, ", ") + "]", b
}

// singleText returns NumPy's str of a 0-dimensional array, which is the str of its element.
func singleText(d dtype.DType, b []byte) (string, error) {
	size, isFloat := FloatSize(d)
	switch {
	case d.IsLongDouble():
	case isFloat:
		return Float(Real(d, b), size), nil
	case d.Kind() == dtype.KindComplex:
		re, im := Complex(d, b)
		return complexScalar(re, im, len(b)/2), nil
	case d.Kind() == dtype.KindUnicode:
		begin, dots := truncate(d, b, elementLimit)
		return writtenText(plainText, d, begin) + dots, checkText(d, begin)
	case d.Kind() == dtype.KindDatetime:
		return Time(d, Int(d, b)), nil
	case d.Kind() == dtype.KindTimedelta:
		return durationText(d, Int(d, b)), nil
	}
	return newFormat(column{d: d, n: 1, item: items(b, len(b)), single: true, limit: elementLimit})(b), nil
}
