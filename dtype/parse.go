package dtype

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/internal/pylit"
)

// A parser reads dtypes. A lenient one, for what people type, takes numbers
// without a byte order as native; a header must say it.
type parser struct{ lenient bool }

func errorAt(v pylit.Value, format string, args ...any) error {
	return &pylit.Error{Pos: v.Pos(), Msg: fmt.Sprintf(format, args...)}
}

// descr reads a descr as NumPy's descr_to_dtype does (numpy/lib/format.py): a
// string, a pair of descr and shape, or a list of fields.
func (p parser) descr(v pylit.Value) (DType, error) {
	switch v.Kind() {
	case pylit.Str:
		d, err := p.code(v.Str())
		if err != nil {
			return DType{}, errorAt(v, "%v", err)
		}
		return d, nil
	case pylit.Tuple:
		descr := v.First()
		if v.Len() != 2 {
			return DType{}, errorAt(v, "a sub-array dtype of %d parts; want (dtype, shape)", v.Len())
		}
		return p.subarray(descr, v.After(descr))
	case pylit.List:
		return p.fields(v)
	}
	return DType{}, errorAt(v, "%v where a dtype should be; want a string like '<f8' or a list of fields", v.Kind())
}

func (p parser) subarray(descr, shape pylit.Value) (DType, error) {
	d, err := p.descr(descr)
	if err != nil {
		return DType{}, err
	}
	var dims []int
	if shape.Kind() != pylit.Tuple && shape.Kind() != pylit.Int {
		return DType{}, errorAt(shape, "%v where the shape of a sub-array should be; want a tuple", shape.Kind())
	}
	if shape.Kind() == pylit.Int {
		if n, ok := shape.Int(); ok && n == 1 { // (type, 1) is type in NumPy
			return d, nil
		}
		dims, err = appendDim(dims, shape)
	}
	if shape.Kind() == pylit.Tuple {
		for c := shape.First(); c.Kind() != pylit.Invalid && err == nil; c = shape.After(c) {
			dims, err = appendDim(dims, c)
		}
	}
	if err != nil {
		return DType{}, err
	}
	if d, err = SubarrayOf(d, dims...); err != nil {
		return DType{}, errorAt(shape, "%s", strings.TrimPrefix(err.Error(), "dtype: "))
	}
	return d, nil
}

func appendDim(dims []int, v pylit.Value) ([]int, error) {
	if v.Kind() != pylit.Int {
		return dims, errorAt(v, "%v where a dimension should be", v.Kind())
	}
	n, ok := v.Int()
	if !ok {
		return dims, errorAt(v, "dimension %s overflows int", v.Text())
	}
	return append(dims, n), nil
}

// fields reads a list of (name, descr) and (name, descr, shape). A void field
// without a name is padding.
func (p parser) fields(list pylit.Value) (DType, error) {
	m := &more{}
	seen := map[string]bool{}
	end := 0
	for v := list.First(); v.Kind() != pylit.Invalid; v = list.After(v) {
		if n := v.Len(); v.Kind() != pylit.Tuple || n != 2 && n != 3 {
			return DType{}, errorAt(v, "%s is no field; want (name, dtype) or (name, dtype, shape)", abbreviate(v.Text()))
		}
		name := v.First()
		descr := v.After(name)
		var d DType
		var err error
		if shape := v.After(descr); shape.Kind() == pylit.Invalid {
			d, err = p.descr(descr)
		} else {
			d, err = p.subarray(descr, shape)
		}
		if err != nil {
			return DType{}, err
		}
		f := Field{Type: d, Offset: end}
		if end += int(d.size); end > maxSize || end < 0 {
			return DType{}, errorAt(v, "the fields have more than %d bytes", maxSize)
		}
		if name.Kind() == pylit.Str && name.Str() == "" && (d.kind == KindVoid || d.kind == KindSubarray) {
			continue // padding
		}
		if f.Title, f.Name, err = names(name); err != nil {
			return DType{}, err
		}
		for _, s := range []string{f.Name, f.Title} {
			if seen[s] && (s != "" || s == f.Name) {
				return DType{}, errorAt(name, "the field name or title %s is used twice", pylit.Quote(s))
			}
		}
		seen[f.Name] = true
		if f.Title != "" {
			if f.Title == f.Name {
				return DType{}, errorAt(name, "the field %s has itself as title", pylit.Quote(f.Name))
			}
			seen[f.Title] = true
		}
		m.fields = append(m.fields, f)
	}
	return DType{kind: KindStructured, size: int32(end), more: m}, nil
}

// names reads a name, or a pair of title and name.
func names(v pylit.Value) (title, name string, err error) {
	if v.Kind() == pylit.Str {
		return "", v.Str(), nil
	}
	if v.Kind() != pylit.Tuple || v.Len() != 2 {
		return "", "", errorAt(v, "%s is no field name; want a string or (title, name)", abbreviate(v.Text()))
	}
	t := v.First()
	n := v.After(t)
	if t.Kind() != pylit.Str || n.Kind() != pylit.Str {
		return "", "", errorAt(v, "%s is no field name; want a string or (title, name) of strings", abbreviate(v.Text()))
	}
	if t.Str() == "" {
		return "", "", errorAt(v, "the title of field %s is empty", pylit.Quote(n.Str()))
	}
	return t.Str(), n.Str(), nil
}

func abbreviate(s string) string {
	if len(s) <= 40 {
		return s
	}
	return strings.ToValidUTF8(s[:40], "") + "…"
}

// code reads the code of a simple type: byte order, kind, size, unit. The error
// is without prefix.
func (p parser) code(s string) (DType, error) {
	o, rest := NotApplicable, s
	explicit := false
	if len(s) > 0 {
		switch s[0] {
		case '<':
			o, rest, explicit = LittleEndian, s[1:], true
		case '>':
			o, rest, explicit = BigEndian, s[1:], true
		case '|':
			rest = s[1:]
		case '=':
			if !p.lenient {
				return DType{}, fmt.Errorf("dtype %q has the byte order of whatever machine wrote it; want '<' or '>'", s)
			}
			rest = s[1:]
		}
	}
	if rest == "" {
		return DType{}, fmt.Errorf("unknown dtype %q; want one like '<f8', '|b1', '|S10' or '<M8[us]'", s)
	}
	k := Kind(max(0, strings.IndexByte(string(kindCodes[:]), rest[0])))
	digits := rest[1:]
	unit := ""
	if k == KindDatetime || k == KindTimedelta {
		if i := strings.IndexByte(digits, '['); i >= 0 {
			digits, unit = digits[:i], digits[i:]
		}
	}
	n, err := strconv.Atoi(digits)
	switch {
	case rest[0] == 'O':
		return DType{}, fmt.Errorf("dtype %q is a Python object: its data is a pickle, and unpickling runs code; save it from NumPy with a fixed dtype", s)
	case k == KindInvalid || !decimal(digits):
		return DType{}, fmt.Errorf("unknown dtype %q; want one like '<f8', '|b1', '|S10' or '<M8[us]'", s)
	case err != nil:
		return DType{}, fmt.Errorf("dtype %q: size %s is too large", s, digits)
	}
	var d DType
	ok := false
	switch k {
	case KindBytes, KindUnicode, KindVoid:
		if d, ok = sized(k, n, o); !ok {
			return DType{}, fmt.Errorf("dtype %q has more than %d bytes", s, maxSize)
		}
	case KindDatetime, KindTimedelta:
		if n != 8 {
			return DType{}, fmt.Errorf("unknown dtype %q: a %v has 8 bytes", s, k)
		}
		count, u, err := parseUnit(unit)
		if err != nil {
			return DType{}, fmt.Errorf("dtype %q: %w", s, err)
		}
		d = timeType(k, o, u, count)
	default:
		if d, ok = number(k, n, o); !ok {
			return DType{}, fmt.Errorf("unknown dtype %q: no %v has %d bytes", s, k, n)
		}
	}
	hasOrder := d.kind == KindUnicode || d.kind == KindDatetime || d.kind == KindTimedelta || d.size > 1 && d.IsNumber() || d.IsLongDouble()
	if hasOrder && !explicit {
		if !p.lenient || s[0] == '|' {
			return DType{}, fmt.Errorf("dtype %q has no byte order; want '<' or '>' before it", s)
		}
		d.order = Native
	}
	return d, nil
}

// decimal reports whether s is a decimal number without sign.
func decimal(s string) bool {
	return s != "" && strings.TrimLeft(s, "0123456789") == ""
}
