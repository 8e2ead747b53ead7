package dtype

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/ndmap/ndmap/internal/descr"
	"github.com/ndmap/ndmap/internal/pylit"
)

// String returns d as NumPy's dtype.str for simple types ("<f8", "|S4", ">M8[us]"),
// and the list of its fields for structured ones. The types of models have the names of ml_dtypes: "<bfloat16",
// "float8_e4m3fn", "float8_e5m2". [Parse] reads it back, unless d has Python objects: "|O".
func (d DType) String() string {
	if d.kind == KindStructured || d.kind == KindSubarray {
		return string(d.appendDescr(nil, false))
	}
	return string(d.appendCode(nil, false))
}

// GoString returns a call of [MustParse] that makes d, for %#v.
func (d DType) GoString() string { return "dtype.MustParse(" + strconv.Quote(d.String()) + ")" }

// Descr returns d as it is written in a .npy header: a Python literal, quoted for simple types
// ("'<f8'"), a list with padding made explicit for structured ones. [BFloat16] is '<V2',
// [Float8E4M3FN] and [Float8E5M2] are '|V1', as ml_dtypes writes them: a reader who knows what they
// are reinterprets them. It is an error if d cannot be written: the zero DType, Python objects, fields that overlap
// or are out of order, and void fields without a name, which would be read as padding.
func (d DType) Descr() (string, error) {
	if err := d.writable(); err != nil {
		return "", err
	}
	return string(d.appendDescr(nil, true)), nil
}

func (d DType) writable() error {
	end := 0
	switch d.kind {
	case KindInvalid:
		return fmt.Errorf("dtype: the zero DType describes nothing")
	case KindObject:
		return fmt.Errorf("dtype: %v is a Python object, which is written as a pickle", d)
	case KindSubarray:
		return d.composite.base.writable()
	}
	for f := range d.Fields() {
		if f.Offset < end {
			return fmt.Errorf("dtype: field %q at offset %d starts before byte %d, where the field before it ends; a header can only say fields in order", f.Name, f.Offset, end)
		}
		if f.isPadding() || f.Name == "" && f.Title == "" && f.Type.Base().isModel() {
			return fmt.Errorf("dtype: a field of %v without a name at offset %d; it would be read as padding", f.Type, f.Offset)
		}
		if err := f.Type.writable(); err != nil {
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

// appendCode appends the code of a simple type: <f8. header says that it is one which NumPy has.
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

// appendDescr appends d as NumPy's dtype_to_descr and the repr of its result
// write it (numpy/core/_internal.py, _array_descr). Without header the types of models have their names.
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

// isPadding reports whether a field means padding where it stands in a header.
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

// Parse reads a dtype from text: the code of a simple type, one of NumPy's names
// for it or of ml_dtypes, or a Python literal as a header has it, with the names of fields in UTF-8.
//
//	dtype.Parse(">f4")
//	dtype.Parse("datetime64[ns]")
//	dtype.Parse("[('x', '<f4'), ('tag', 'S8'), ('v', 'float', (3,))]")
//
// A number without a byte order, or with '=' or '|', is in the byte order of the machine. M8[D/24] is
// M8[h], microseconds may be μs, and a title that is empty is left out. Names are those
// that numpy.dtype takes, of NumPy 1 and 2: float64, double, float and d, for example; and
// bfloat16, float8_e4m3fn and float8_e5m2. The names int and uint are of 64 bits everywhere. Those
// of C's long, of pointers and of long doubles (intp, longdouble) are errors, since they differ
// from machine to machine, and so are those of text without a length (str). Errors quote the text
// and, for literals, name the character.
func Parse(s string) (DType, error) { return parser{names: true}.text(s) }

func (p parser) text(s string) (DType, error) {
	if len(s) > 0 && !slices.Contains([]byte("[('\" "), s[0]) {
		d, err := p.code(s)
		if err != nil {
			return DType{}, fmt.Errorf("dtype: %w", err)
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
	return DType{}, fmt.Errorf("dtype: %q at %w", clip(s), err)
}

// MustParse is [Parse] for text that is known to be right. It panics on an error.
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
