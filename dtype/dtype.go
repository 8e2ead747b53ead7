// Package dtype describes the elements of an array: their kind, their size in bytes, their byte
// order and, for structured types, their fields. It does not describe the shape of an array.
//
// A [DType] reads and writes the descr of a .npy header; see
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html and
// https://numpy.org/doc/stable/reference/arrays.dtypes.html.
//
// # Tasks
//
// Each has an example on the symbol named first.
//
//   - read a dtype from text: [Parse], [MustParse]
//   - get the dtype of a Go type, in particular of a struct: [Of]
//   - make a structured dtype from fields: [Struct], [Packed]
//   - convert times and durations: [DType.Time], [DType.FromTime], [DType.Duration]
//   - compute with float16: [Half]; with the floats of models: [BF16], [F8E4M3FN], [F8E5M2];
//     with the long doubles of x86: [LongDouble]
//
// # Aliasing and goroutines
//
// A DType is an immutable value, safe for use by several goroutines. No function keeps a slice
// passed to it.
package dtype

import (
	"encoding/binary"
	"slices"
	"strconv"
)

// Kind is the general class of an element. Together with the item size and the byte order it
// determines how the bytes of an element are read.
type Kind uint8

const (
	KindInvalid      Kind = iota // the zero DType
	KindBool                     // 1 byte: zero is false, other values are true
	KindInt                      // two's complement: 1, 2, 4, 8 bytes
	KindUint                     // 1, 2, 4, 8 bytes
	KindFloat                    // IEEE 754: 2, 4, 8 bytes; 16: long double, raw bytes here
	KindComplex                  // two floats, real part first: 8, 16 bytes; 32: long double, raw bytes here
	KindBytes                    // S: bytes, trailing NULs are padding
	KindUnicode                  // U: UCS-4 code points, trailing NULs are padding
	KindVoid                     // V: raw bytes
	KindDatetime                 // M8: int64 count of units since 1970-01-01
	KindTimedelta                // m8: int64 count of units
	KindStructured               // named fields
	KindSubarray                 // a fixed-shape block of one type, as a field of a structured type
	KindBFloat16                 // the upper half of a float32: 2 bytes
	KindFloat8E4M3FN             // 4 bits of exponent, 3 of fraction, no infinities: 1 byte
	KindFloat8E5M2               // the upper half of a float16: 1 byte
	KindObject                   // O: a Python object; found in headers and in package objects, never in an array.Array
)

// String returns the name of the kind in lower case, for example "float".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "Kind(" + strconv.Itoa(int(k)) + ")"
}

var kindNames = [...]string{"invalid", "bool", "int", "uint", "float", "complex", "bytes", "unicode", "void",
	"datetime", "timedelta", "structured", "subarray", "bfloat16", "float8_e4m3fn", "float8_e5m2",
	"object"}

// ByteOrder is the order in memory of the bytes of an element.
type ByteOrder uint8

const (
	NotApplicable ByteOrder = iota // types of one byte, bytes, void, structured types and sub-arrays
	LittleEndian
	BigEndian
)

// Native is the byte order of the machine that the program runs on.
var Native = nativeOrder()

func nativeOrder() ByteOrder {
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 {
		return LittleEndian
	}
	return BigEndian
}

// String returns "little-endian", "big-endian" or "not applicable".
func (o ByteOrder) String() string {
	switch o {
	case LittleEndian:
		return "little-endian"
	case BigEndian:
		return "big-endian"
	}
	return "not applicable"
}

// A DType describes one element of an array. The zero DType describes nothing, and its kind is
// [KindInvalid].
//
// A DType is a small immutable value. Two DTypes are == if they are the same type: kind, size, byte
// order, unit, and the same fields at the same offsets with the same names and titles. DTypes can
// be map keys.
//
// The byte order is always explicit: a DType made in native order has the order of the machine.
type DType struct {
	kind      Kind
	order     ByteOrder
	size      int32
	composite *composite // interned; nil for most kinds
}

// The boolean and number types, in the byte order of the machine.
var (
	Bool       = DType{kind: KindBool, size: 1}
	Int8       = DType{kind: KindInt, size: 1}
	Uint8      = DType{kind: KindUint, size: 1}
	Int16      = DType{KindInt, Native, 2, nil}
	Int32      = DType{KindInt, Native, 4, nil}
	Int64      = DType{KindInt, Native, 8, nil}
	Uint16     = DType{KindUint, Native, 2, nil}
	Uint32     = DType{KindUint, Native, 4, nil}
	Uint64     = DType{KindUint, Native, 8, nil}
	Float16    = DType{KindFloat, Native, 2, nil}
	Float32    = DType{KindFloat, Native, 4, nil}
	Float64    = DType{KindFloat, Native, 8, nil}
	Complex64  = DType{KindComplex, Native, 8, nil}
	Complex128 = DType{KindComplex, Native, 16, nil}

	// The types of machine-learning models, from the Python package ml_dtypes. NumPy does not have
	// them, and a .npy file has no name for them: see [DType.Descr].
	BFloat16     = DType{KindBFloat16, Native, 2, nil}
	Float8E4M3FN = DType{kind: KindFloat8E4M3FN, size: 1}
	Float8E5M2   = DType{kind: KindFloat8E5M2, size: 1}
)

// Kind returns the general class of d.
func (d DType) Kind() Kind { return d.kind }

// ByteOrder returns the byte order of d. It is [NotApplicable] for a structured type, whose fields have
// their own byte orders.
func (d DType) ByteOrder() ByteOrder { return d.order }

// ItemSize returns the size of one element in bytes. It may be 0.
func (d DType) ItemSize() int { return int(d.size) }

// IsNative reports whether every number in d has the byte order of the machine. It does not
// allocate.
func (d DType) IsNative() bool { return d.hasByteOrder(Native) }

// hasByteOrder reports whether every number in d has the byte order o.
func (d DType) hasByteOrder(o ByteOrder) bool {
	for i := range d.NumField() {
		if !d.composite.fields[i].Type.hasByteOrder(o) {
			return false
		}
	}
	if d.kind == KindSubarray {
		return d.composite.base.hasByteOrder(o)
	}
	return d.order == NotApplicable || d.order == o
}

// IsNumber reports whether d is a boolean or a number with a Go type. A long double is not.
func (d DType) IsNumber() bool {
	return d.kind >= KindBool && d.kind <= KindComplex && !d.IsLongDouble() || d.isModel()
}

// isModel reports whether d is one of the types of ml_dtypes.
func (d DType) isModel() bool { return d.kind >= KindBFloat16 && d.kind <= KindFloat8E5M2 }

// IsLongDouble reports whether d is a long double or a complex long double. Their bytes differ from
// machine to machine, so elements are read and written as [16]byte or [32]byte. [LongDouble] converts those
// of x86 to float64.
func (d DType) IsLongDouble() bool {
	return d.kind == KindFloat && d.size == 16 || d.kind == KindComplex && d.size == 32
}

// HasObject reports whether d is a Python object or has a field that contains one. The data of such
// an array is a pickle.
//
// Such types come only from headers, as read by npz.Archive.Header and package objects. No function
// of this package returns one, and no array.Array has such elements.
func (d DType) HasObject() bool {
	for i := range d.NumField() {
		if d.composite.fields[i].Type.HasObject() {
			return true
		}
	}
	return d.kind == KindObject || d.kind == KindSubarray && d.composite.base.HasObject()
}

// IsVariable reports whether d is bytes, unicode or void, the kinds whose item size is part of the
// type.
func (d DType) IsVariable() bool {
	return d.kind == KindBytes || d.kind == KindUnicode || d.kind == KindVoid
}

// WithByteOrder returns d with every number in byte order o, including the numbers in its fields.
//
// It returns types without a byte order unchanged, and every type if o is [NotApplicable]. WithByteOrder allocates only
// for structured types and sub-arrays that have a number in another byte order.
func (d DType) WithByteOrder(o ByteOrder) DType {
	if o == NotApplicable || d.hasByteOrder(o) {
		return d
	}
	if d.order != NotApplicable {
		d.order = o
	}
	switch d.kind {
	case KindStructured:
		fields := slices.Clone(d.composite.fields)
		for i := range fields {
			fields[i].Type = fields[i].Type.WithByteOrder(o)
		}
		d.composite = intern(composite{fields: fields})
	case KindSubarray:
		d.composite = intern(composite{base: d.composite.base.WithByteOrder(o), shape: d.composite.shape})
	}
	return d
}

// Equal reports whether d == e.
func (d DType) Equal(e DType) bool { return d == e }

// numberType returns the type of the given kind, size and byte order. Types of one byte have no byte
// order. ok is false if no such type exists.
func numberType(k Kind, size int, o ByteOrder) (d DType, ok bool) {
	switch k {
	case KindBool:
		ok = size == 1
	case KindInt, KindUint:
		ok = size == 1 || size == 2 || size == 4 || size == 8
	case KindFloat:
		if size == 1 { // <f1, an old code of ml_dtypes
			return Float8E5M2, true
		}
		ok = size == 2 || size == 4 || size == 8 || size == 16
	case KindComplex:
		ok = size == 8 || size == 16 || size == 32
	}
	if size == 1 {
		o = NotApplicable
	}
	return DType{kind: k, order: o, size: int32(size)}, ok
}

// Bytes returns the type of n bytes of text, NumPy's S. It panics with an error that wraps
// [ErrDType] if n is negative or more than 1<<31-1.
func Bytes(n int) DType { return mustSizedType(KindBytes, n) }

// Unicode returns the type of n UCS-4 code points in native byte order, NumPy's U: 4*n bytes. It
// panics like [Bytes] if n is negative or more than (1<<31-1)/4.
func Unicode(n int) DType { return mustSizedType(KindUnicode, n) }

// Void returns the type of n raw bytes, NumPy's V. It panics like [Bytes].
func Void(n int) DType { return mustSizedType(KindVoid, n) }

func mustSizedType(k Kind, n int) DType {
	d, ok := sizedType(k, n, Native)
	if !ok {
		panic(errorf("invalid size %d for %v", n, k))
	}
	return d
}

// maxSize is the maximum size of an element in bytes.
const maxSize = 1<<31 - 1

// sizedType returns the type of kind k with n bytes, or n code points for KindUnicode, and reports
// whether n is in range.
func sizedType(k Kind, n int, o ByteOrder) (DType, bool) {
	if k != KindUnicode {
		return DType{kind: k, size: int32(n)}, 0 <= n && n <= maxSize
	}
	return DType{kind: k, order: o, size: int32(4 * n)}, 0 <= n && n <= maxSize/4
}
