package tensors

import "github.com/ndmap/ndmap/dtype"

// bitsOf holds the number of bits of an element for each dtype of the format.
var bitsOf = map[string]int{
	"BOOL": 8, "U8": 8, "I8": 8, "U16": 16, "I16": 16, "U32": 32, "I32": 32, "U64": 64, "I64": 64,
	"F16": 16, "BF16": 16, "F32": 32, "F64": 64, "C64": 64, "F8_E4M3": 8, "F8_E5M2": 8,
	"F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "F6_E2M3": 6, "F6_E3M2": 6, "F4": 4,
}

// dtypes maps each dtype of the format to a dtype of package dtype.
var dtypes = map[string]dtype.DType{
	"BOOL": dtype.Bool, "U8": dtype.Uint8, "I8": dtype.Int8, "U16": dtype.Uint16, "I16": dtype.Int16,
	"U32": dtype.Uint32, "I32": dtype.Int32, "U64": dtype.Uint64, "I64": dtype.Int64,
	"F16": dtype.Float16, "BF16": dtype.BFloat16, "F32": dtype.Float32, "F64": dtype.Float64, "C64": dtype.Complex64,
	"F8_E4M3": dtype.Float8E4M3FN, "F8_E5M2": dtype.Float8E5M2,
	// Types that package dtype lacks are void.
	"F8_E8M0": dtype.Void(1), "F8_E4M3FNUZ": dtype.Void(1), "F8_E5M2FNUZ": dtype.Void(1),
}

// DType returns the dtype of the elements of a tensor, which is little-endian. If an element is not a whole number of
// bytes, ok is false.
func DType(code string) (d dtype.DType, ok bool) {
	d, ok = dtypes[code]
	return d.WithByteOrder(dtype.LittleEndian), ok
}

// Code returns the code of d in the format, for either byte order, or "" if the format has no such dtype.
func Code(d dtype.DType) string {
	if d.Kind() == dtype.KindVoid {
		return ""
	}
	for code, e := range dtypes {
		if d.WithByteOrder(dtype.Native) == e {
			return code
		}
	}
	return ""
}
