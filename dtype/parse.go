package dtype

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/internal/pylit"
)

// A parser reads dtypes. Numbers without a byte order are native.
type parser struct {
	names   bool  // accept NumPy's names as well as codes
	header  *bool // not nil for a header: set if a number has no byte order; names have the meaning of NumPy 1.24 on 64-bit Linux
	objects bool  // accept Python objects
}

func errorAt(v pylit.Value, format string, args ...any) error {
	return &pylit.Error{Pos: v.Pos(), Msg: fmt.Sprintf(format, args...)}
}

// root reads a descr that does not belong to a field.
func (p parser) root(v pylit.Value) (DType, error) {
	d, trailing, err := p.descr(v)
	if err == nil && trailing > 0 {
		err = errorAt(v, "%v with %d bytes of padding can only be the dtype of a field", d, trailing)
	}
	return d, err
}

// descr reads a descr as NumPy's descr_to_dtype does (numpy/lib/format.py): a string, a pair of
// descr and shape, or a list of fields. In NumPy a sub-array without elements may have bytes, see
// [parser.resized]. Here d has no bytes, and trailing is the number of bytes after d.
func (p parser) descr(v pylit.Value) (d DType, trailing int, err error) {
	switch v.Kind() {
	case pylit.Str:
		d, err := p.code(v.Str())
		if err != nil {
			return DType{}, 0, errorAt(v, "%v", err)
		}
		return d, 0, nil
	case pylit.Tuple:
		if v.Len() != 2 {
			return DType{}, 0, errorAt(v, "%s is not a sub-array; want (dtype, shape)", v.Excerpt())
		}
		return p.pair(v.First(), v.After(v.First()))
	case pylit.List:
		d, err := p.fields(v)
		return d, 0, err
	}
	return DType{}, 0, errorAt(v, "%v where a dtype should be; want a string like '<f8' or a list of fields", v.Kind())
}

// fields reads a list of (name, descr) and (name, descr, shape). A void field without a name is
// padding.
func (p parser) fields(list pylit.Value) (DType, error) {
	n := list.Len()
	fields := make([]Field, 0, n)
	seen := make(names, n)
	end := 0
	for v := list.First(); v.Kind() != pylit.Invalid; v = list.After(v) {
		n := v.Len()
		if v.Kind() != pylit.Tuple || n != 2 && n != 3 {
			return DType{}, errorAt(v, "%s is not a field; want (name, dtype) or (name, dtype, shape)", v.Excerpt())
		}
		name := v.First()
		descr := v.After(name)
		f := Field{Offset: end}
		trailing := 0
		var err error
		if n == 2 {
			f.Type, trailing, err = p.descr(descr)
		} else {
			f.Type, trailing, err = p.pair(descr, v.After(descr))
		}
		if err != nil {
			return DType{}, err
		}
		size := int(f.Type.size) + trailing // one of the two is 0
		if end > maxSize-size {
			return DType{}, errorAt(v, "the fields have more than %d bytes", maxSize)
		}
		end += size
		if f.Title, f.Name, err = nameOf(name); err != nil {
			return DType{}, err
		}
		untitled := name.Kind() == pylit.Tuple && f.Title == "" // an empty title is dropped
		if f.isPadding() && !untitled {
			continue
		}
		if err := seen.add(f); err != nil {
			return DType{}, errorAt(name, "%v", err)
		}
		if untitled && seen[""] {
			return DType{}, errorAt(name, "the empty title of field %q is the name of a field, or the title of another", f.Name)
		}
		seen[""] = seen[""] || untitled
		fields = append(fields, f)
	}
	return DType{kind: KindStructured, size: int32(end), composite: intern(composite{fields: fields})}, nil
}

// nameOf reads a name, or a tuple of title and name.
func nameOf(v pylit.Value) (title, name string, err error) {
	if v.Kind() == pylit.Str {
		return "", v.Str(), nil
	}
	if v.Kind() != pylit.Tuple || v.Len() != 2 {
		return "", "", errorAt(v, "%s is not a field name; want a string or (title, name)", v.Excerpt())
	}
	t := v.First()
	n := v.After(t)
	if t.Kind() != pylit.Str || n.Kind() != pylit.Str {
		return "", "", errorAt(v, "%s is not a field name; want a string or (title, name) of strings", v.Excerpt())
	}
	return t.Str(), n.Str(), nil
}

// clip shortens s to about 40 bytes for error messages.
func clip(s string) string {
	if len(s) <= 40 {
		return s
	}
	return strings.ToValidUTF8(s[:40], "") + "…"
}

// code reads the code of a simple type: byte order, kind, size, unit. The error has no prefix.
func (p parser) code(s string) (DType, error) {
	short := clip(s) // for messages
	o, rest, explicit := Native, s, false
	if s != "" {
		switch s[0] {
		case '<':
			o, rest, explicit = LittleEndian, s[1:], true
		case '>':
			o, rest, explicit = BigEndian, s[1:], true
		case '|', '=':
			rest = s[1:]
		}
	}
	if p.objects && slices.Contains([]string{"O", "O4", "O8", "object"}, rest) { // NumPy accepts no other size
		return DType{kind: KindObject, size: 8}, nil
	}
	if p.names {
		if d, ok := models[rest]; ok && (len(rest) == len(s) || s[0] != '|' || d.size == 1) {
			if d.size > 1 {
				d.order = o
				p.recordAssumed(!explicit)
			}
			return d, nil
		}
		var err error
		if rest, err = codeOfName(rest, len(rest) < len(s), p.header != nil); err != nil {
			return DType{}, err
		}
	}
	k, size, unit := split(rest)
	n64, err := strconv.ParseInt(size, 10, 32)
	n := int(n64)
	switch {
	case strings.HasPrefix(rest, "O"):
		return DType{},
			fmt.Errorf("dtype %q is a Python object: its data is a pickle, and unpickling runs code; package objects reads plain values, or save it from NumPy with a fixed dtype", short)
	case k == KindInvalid || size == "" || strings.Trim(size, "0123456789") != "":
		return DType{}, fmt.Errorf("unknown dtype %q; want one like <f8, |b1, |S10 or <M8[us]", short)
	case err != nil:
		return DType{}, fmt.Errorf("dtype %q: size %s is too large", short, clip(size))
	}
	var d DType
	ok := false
	switch k {
	case KindBytes, KindUnicode, KindVoid:
		if d, ok = sizedType(k, n, o); !ok {
			return DType{}, fmt.Errorf("dtype %q has more than %d bytes", short, maxSize)
		}
	case KindDatetime, KindTimedelta:
		if n != 8 || unit != "" && size != "8" {
			return DType{}, fmt.Errorf("unknown dtype %q: a %v has 8 bytes", short, k)
		}
		count, u, err := parseUnit(unit, p.header != nil)
		if err != nil {
			return DType{}, fmt.Errorf("dtype %q: %w", short, err)
		}
		d = timeType(k, o, u, count)
	default:
		if d, ok = numberType(k, n, o); !ok {
			return DType{}, fmt.Errorf("unknown dtype %q: no %v has %d bytes", short, k, n)
		}
	}
	p.recordAssumed(d.order != NotApplicable && !explicit)
	return d, nil
}

// recordAssumed records, if implicit is true and p reads a header, that a number has no byte order, so the
// byte order of the machine is assumed.
func (p parser) recordAssumed(implicit bool) {
	if p.header != nil && implicit {
		*p.header = true
	}
}

// split divides a code without byte order, such as f8 or M8[us], into kind, size and unit.
func split(s string) (k Kind, size, unit string) {
	if s == "" {
		return KindInvalid, "", ""
	}
	for i, c := range kindCodes {
		if c == s[0] && c != 0 {
			k = Kind(i)
		}
	}
	size = s[1:]
	if i := strings.IndexByte(size, '['); i >= 0 && (k == KindDatetime || k == KindTimedelta) {
		size, unit = size[:i], size[i:]
	}
	return k, size, unit
}
