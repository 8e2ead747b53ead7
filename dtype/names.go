package dtype

import (
	"fmt"
	"strings"
)

// typeNames maps the names that numpy.dtype accepts, including its one-character codes, to the
// codes of headers. In NumPy the size of int and uint depends on version and system; here they have
// 64 bits, as in NumPy 2 on 64-bit systems.
var typeNames = map[string]string{
	"bool": "b1", "bool_": "b1", "bool8": "b1", "?": "b1",
	"int8": "i1", "byte": "i1", "b": "i1",
	"int16": "i2", "short": "i2", "h": "i2",
	"int32": "i4", "intc": "i4", "i": "i4",
	"int64": "i8", "longlong": "i8", "q": "i8", "int": "i8", "int_": "i8",
	"uint8": "u1", "ubyte": "u1", "B": "u1",
	"uint16": "u2", "ushort": "u2", "H": "u2",
	"uint32": "u4", "uintc": "u4", "I": "u4",
	"uint64": "u8", "ulonglong": "u8", "Q": "u8", "uint": "u8",
	"float16": "f2", "half": "f2", "e": "f2",
	"float32": "f4", "single": "f4", "f": "f4",
	"float64": "f8", "double": "f8", "d": "f8", "float": "f8", "float_": "f8",
	"float128":  "f16",
	"complex64": "c8", "csingle": "c8", "singlecomplex": "c8", "F": "c8",
	"complex128": "c16", "cdouble": "c16", "cfloat": "c16", "D": "c16", "complex": "c16", "complex_": "c16",
	"complex256": "c32",
	"datetime64": "M8", "M": "M8",
	"timedelta64": "m8", "m": "m8",
	"c": "S1",
}

// models maps the names of ml_dtypes to their types. A byte order may precede the name.
var models = map[string]DType{
	"bfloat16":      BFloat16,
	"float8_e4m3fn": Float8E4M3FN,
	"float8_e5m2":   Float8E5M2,
}

// A platformType is the type of a name that has no length or differs from machine to machine.
type platformType struct {
	linux string // its code in NumPy 1.24 on 64-bit Linux, which applies to headers
	why   string // the error outside of headers, after the name
}

var platformTypes = map[string]platformType{}

func init() {
	const differ = "which differs between machines"
	for _, row := range []struct{ linux, why, names string }{
		{"S0", "has no length; want one like 'S10'", "S a bytes bytes_ bytes0 string_"},
		{"U0", "has no length; want one like 'U10'", "U str str_ str0 unicode unicode_"},
		{"V0", "has no length; want one like 'V10'", "V void void0"},
		{"i8", "has the size of C's long or of a pointer, " + differ + "; want int64", "l long p intp int0"},
		{"u8", "has the size of C's long or of a pointer, " + differ + "; want uint64", "L ulong P uintp uint0"},
		{"f16", "is C's long double, " + differ + "; want float64, or 'f16'", "g longdouble longfloat"},
		{"c32", "is C's long double, " + differ + "; want complex128, or 'c32'",
			"G clongdouble clongfloat longcomplex"},
		{"O", "is a Python object: its data is a pickle, and unpickling runs code", "object object_ object0"},
	} {
		for name := range strings.FieldsSeq(row.names) {
			platformTypes[name] = platformType{row.linux, row.why}
		}
	}
}

// codeOfName returns the code, without byte order, of the dtype with NumPy's name s. It returns other
// text unchanged. If ordered is true, a byte order precedes s, and only one-character names and the
// names of time types are recognized. If header is true, names have their meaning on 64-bit Linux.
func codeOfName(s string, ordered, header bool) (string, error) {
	for long, short := range map[string]string{"datetime64[": "M8[", "timedelta64[": "m8["} {
		if unit, ok := strings.CutPrefix(s, long); ok {
			return short + unit, nil
		}
	}
	if size, ok := strings.CutPrefix(s, "a"); ok && size != "" && strings.Trim(size, "0123456789") == "" {
		return "S" + size, nil // a code of NumPy 1
	}
	if ordered && len(s) > 1 && s != "datetime64" && s != "timedelta64" {
		return s, nil
	}
	if p, ok := platformTypes[s]; ok && header {
		return p.linux, nil
	} else if ok {
		return "", fmt.Errorf("dtype %q %s", s, p.why)
	}
	if code := typeNames[s]; code != "" {
		return code, nil
	}
	return s, nil
}
