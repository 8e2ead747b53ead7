package dtype

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ndmap/ndmap/internal/descr"
	"github.com/ndmap/ndmap/internal/pylit"
)

// String returns d as NumPy's dtype.str writes it for simple types ("<f8", "|S4", ">M8[us]"), and
// the list of its fields for structured types.
//
// The types of models have the names of ml_dtypes: "<bfloat16", "float8_e4m3fn", "float8_e5m2". A
// Python object is "|O". [Parse] reads the text back to d unless [DType.Descr] returns an error for
// d.
func (d DType) String() string {
	if d.kind == KindStructured || d.kind == KindSubarray {
		return string(d.appendDescr(nil, false))
	}
	return string(d.appendCode(nil, false))
}

// GoString returns d as a call of [MustParse], for the %#v verb.
func (d DType) GoString() string { return "dtype.MustParse(" + strconv.Quote(d.String()) + ")" }

// Descr returns d as a .npy header contains it: a Python literal, quoted for simple types
// ("'<f8'"), and a list with explicit padding for structured types.
//
// [BFloat16] is '<V2', and [Float8E4M3FN] and [Float8E5M2] are '|V1', as ml_dtypes writes them. The
// reader of such a file must know the type, and reinterpret the elements.
//
// It is an error if a header cannot describe d:
//
//   - the zero DType
//   - Python objects
//   - fields that overlap or are out of order
//   - void fields without a name, which would be read as padding
func (d DType) Descr() (string, error) {
	if err := d.checkWritable(); err != nil {
		return "", err
	}
	return string(d.appendDescr(nil, true)), nil
}

func (d DType) checkWritable() error {
	end := 0
	switch d.kind {
	case KindInvalid:
		return errorf("the zero DType is invalid")
	case KindObject:
		return errorf("%v is a Python object, which NumPy stores as a pickle; use a dtype without objects", d)
	case KindSubarray:
		return d.composite.base.checkWritable()
	}
	for f := range d.Fields() {
		if f.Offset < end {
			return errorf("field %q at offset %d starts before byte %d, where the field before it ends; a header can only describe fields in the order of their offsets", f.Name, f.Offset, end)
		}
		if f.isPadding() || f.Name == "" && f.Title == "" && f.Type.Base().isModel() {
			return errorf("the field of dtype %v at offset %d has no name; it would be read as padding", f.Type, f.Offset)
		}
		if err := f.Type.checkWritable(); err != nil {
			return err
		}
		end = f.Offset + int(f.Type.size)
	}
	return nil
}

var orderCodes = [...]byte{NotApplicable: '|', LittleEndian: '<', BigEndian: '>'}

var kindCodes = [...]byte{KindBool: 'b', KindInt: 'i', KindUint: 'u', KindFloat: 'f', KindComplex: 'c', KindBytes: 'S',
	KindUnicode: 'U', KindVoid: 'V',
	KindDatetime: 'M', KindTimedelta: 'm'}

// appendCode appends the code of a simple type, such as <f8. With header set it writes the types of
// models as the void types of a header.
func (d DType) appendCode(b []byte, header bool) []byte {
	code := byte('V')
	switch {
	case d.kind == KindInvalid:
		return append(b, "invalid"...)
	case d.kind == KindObject:
		return append(b, "|O"...)
	case d.isModel() && !header:
		if d.order != NotApplicable {
			b = append(b, orderCodes[d.order])
		}
		return append(b, d.kind.String()...)
	case !d.isModel():
		code = kindCodes[d.kind]
	}
	b = append(b, orderCodes[d.order], code)
	n := int64(d.size)
	if d.kind == KindUnicode {
		n /= 4
	}
	b = strconv.AppendInt(b, n, 10)
	return append(b, d.unitSuffix()...)
}

// appendDescr appends d as NumPy's dtype_to_descr and the repr of its result write it
// (numpy/core/_internal.py, _array_descr). Without header it writes the types of models by name.
func (d DType) appendDescr(b []byte, header bool) []byte {
	switch d.kind {
	case KindSubarray:
		b = append(b, '(')
		b = d.composite.base.appendDescr(b, header)
		b = append(b, ", "...)
		b = pylit.AppendTuple(b, d.composite.shape)
		return append(b, ')')
	case KindStructured:
		b = append(b, '[')
		end := 0
		sep := ""
		pad := func(to int) {
			if to > end {
				b = fmt.Appendf(b, "%s('', '|V%d')", sep, to-end)
				sep = ", "
			}
		}
		for f := range d.Fields() {
			pad(f.Offset)
			b = append(b, sep...)
			b = f.appendDescr(b, header)
			sep = ", "
			end = f.Offset + int(f.Type.size)
		}
		pad(int(d.size))
		return append(b, ']')
	}
	b = append(b, '\'')
	b = d.appendCode(b, header)
	return append(b, '\'')
}

// isPadding reports whether readers of a header would take f for padding.
func (f Field) isPadding() bool {
	return f.Name == "" && f.Title == "" && (f.Type.kind == KindVoid || f.Type.kind == KindSubarray)
}

func (f Field) appendDescr(b []byte, header bool) []byte {
	b = append(b, '(')
	if f.Title != "" {
		b = append(b, '(')
		b = pylit.AppendQuote(b, f.Title)
		b = append(b, ", "...)
		b = pylit.AppendQuote(b, f.Name)
		b = append(b, ')')
	} else {
		b = pylit.AppendQuote(b, f.Name)
	}
	b = append(b, ", "...)
	if f.Type.kind != KindSubarray {
		return append(f.Type.appendDescr(b, header), ')')
	}
	b = f.Type.composite.base.appendDescr(b, header)
	b = append(b, ", "...)
	b = pylit.AppendTuple(b, f.Type.composite.shape)
	return append(b, ')')
}

// Parse returns the dtype that s describes: the code of a simple type, a name of NumPy or ml_dtypes
// for it, or a Python literal as a .npy header contains it, with field names in UTF-8.
//
//	dtype.Parse(">f4")
//	dtype.Parse("datetime64[ns]")
//	dtype.Parse("[('x', '<f4'), ('tag', 'S8'), ('v', 'float', (3,))]")
//
// A number without a byte order, or with '=' or '|', has the byte order of the machine. M8[D/24] is
// M8[h], microseconds may be written μs, and an empty title is dropped.
//
// Parse accepts all names of numpy.dtype, in NumPy 1 and 2: float64, double, float and d, for
// example; and bfloat16, float8_e4m3fn and float8_e5m2. The names int and uint have 64 bits on
// every machine. Two kinds of names are errors:
//
//   - names for C's long, for pointers and for long doubles (intp, longdouble), which differ from
//     machine to machine
//   - names of text without a length (str)
//
// Errors quote the text and, for literals, give the position of the character that is wrong.
func Parse(s string) (DType, error) { return parser{names: true}.text(s) }

func (p parser) text(s string) (DType, error) {
	if len(s) > 0 && !slices.Contains([]byte("[('\" "), s[0]) {
		d, err := p.code(s)
		if err != nil {
			return DType{}, errorf("%w", err)
		}
		return d, nil
	}
	v, err := pylit.Parse(s, pylit.Config{})
	if err == nil {
		var d DType
		if d, err = p.root(v); err == nil {
			return d, nil
		}
	}
	return DType{}, errorf("%q at %w", clip(s), err)
}

// MustParse is like [Parse] but panics with its error. Use it for text that is known to be valid.
func MustParse(s string) DType {
	d, err := Parse(s)
	if err != nil {
		panic(err)
	}
	return d
}

func init() {
	descr.Read = func(v pylit.Value, objects bool) (d DType, assumed bool, err error) {
		d, err = parser{names: true, header: &assumed, objects: objects}.root(v)
		return d, assumed, err
	}
}
