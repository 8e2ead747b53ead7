package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/dtype"
)

// A column is elements that are written alike, as wide as the widest of them.
type column struct {
	d      dtype.DType // not a sub-array
	b      []byte      // one element after the other
	n      int
	single bool // it is not in an array, so that some padding falls away
}

func (c column) item(i int) []byte { return c.b[i*c.d.ItemSize() : (i+1)*c.d.ItemSize()] }

// newFormat returns the format that fits all elements of c; see
// numpy/core/arrayprint.py, _get_format_function.
func newFormat(c column) Format {
	d := c.d
	if d.IsLongDouble() {
		return rawText
	}
	switch d.Kind() {
	case dtype.KindBool:
		return func(b []byte) string {
			switch {
			case b[0] == 0:
				return "False"
			case c.single:
				return "True"
			}
			return " True"
		}
	case dtype.KindInt:
		return padded(c, func(b []byte) string { return strconv.FormatInt(Int(d, b), 10) })
	case dtype.KindUint:
		return padded(c, func(b []byte) string { return strconv.FormatUint(Uint(d, b), 10) })
	case dtype.KindFloat:
		f := newFloatFormat(c.floats(0, d.ItemSize()), d.ItemSize(), false)
		return func(b []byte) string { return f.format(Real(d, b)) }
	case dtype.KindComplex:
		return complexFormat(c)
	case dtype.KindDatetime:
		return timeFormat(c, func(b []byte) string { return "'" + Time(d, Int(d, b)) + "'" })
	case dtype.KindTimedelta:
		return timeFormat(c, func(b []byte) string { return strconv.FormatInt(Int(d, b), 10) })
	case dtype.KindBytes, dtype.KindUnicode:
		return func(b []byte) string { return quote(d, b) }
	case dtype.KindStructured:
		return structFormat(c)
	}
	return rawText
}

// floats returns the floats of size bytes at an offset in each element.
func (c column) floats(off, size int) []float64 {
	s := make([]float64, c.n)
	for i := range s {
		s[i] = Real(c.d, c.item(i)[off:off+size])
	}
	return s
}

// padded puts spaces before texts, so that they are as wide as the widest one.
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

// timeFormat pads times to the width of the first or the last of them, whichever
// is wider, as NumPy does.
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

// structFormat writes structures as tuples of their fields, each field in the
// format of that field in all elements.
func structFormat(c column) Format {
	fields := make([]Format, c.d.NumField())
	for k := range fields {
		f := c.d.FieldAt(k)
		shape, base := f.Type.SubShape(), f.Type.Base()
		values := column{d: base, single: c.single && shape == nil, n: c.n}
		for _, n := range shape {
			values.n *= n
		}
		for i := range c.n {
			values.b = append(values.b, c.item(i)[f.Offset:f.Offset+f.Type.ItemSize()]...)
		}
		value := newFormat(values)
		fields[k] = func(b []byte) string {
			s, _ := subarrayText(shape, base.ItemSize(), b[f.Offset:f.Offset+f.Type.ItemSize()], value)
			return s
		}
	}
	return func(b []byte) string {
		texts := make([]string, len(fields))
		for k, text := range fields {
			texts[k] = text(b)
		}
		if len(texts) == 1 {
			return "(" + texts[0] + ",)"
		}
		return "(" + strings.Join(texts, ", ") + ")"
	}
}

// subarrayText writes the values at the start of b as nested lists, and returns
// what follows them.
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

// singleText returns NumPy's str of an array of no dimensions, which is that of its
// element.
func singleText(d dtype.DType, b []byte) (string, error) {
	switch {
	case d.IsLongDouble():
	case d.Kind() == dtype.KindFloat:
		return Float(Real(d, b), len(b)), nil
	case d.Kind() == dtype.KindComplex:
		re, im := Complex(d, b)
		return complexScalar(re, im, len(b)/2), nil
	case d.Kind() == dtype.KindUnicode:
		return plainText(Points(d, b))
	case d.Kind() == dtype.KindDatetime:
		return Time(d, Int(d, b)), nil
	case d.Kind() == dtype.KindTimedelta:
		return durationText(d, Int(d, b)), nil
	}
	return newFormat(column{d: d, b: b, n: 1, single: true})(b), nil
}
