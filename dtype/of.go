package dtype

import (
	"reflect"
	"strings"
)

// Of returns the dtype of the Go type T in the byte order of the machine. T may be
//
//   - a boolean or a sized number; int and uint have their size on the machine
//   - [Half], [BF16], [F8E4M3FN] or [F8E5M2]
//   - an array, which is a [KindSubarray]: [2][3]float32 has the shape (2, 3)
//   - a struct, with the same fields at the offsets that Go gives them
//
// For other types, and for structs and arrays that contain them, Of returns an error that names the
// field: the elements of a file cannot contain pointers. Of allocates only for arrays and structs.
//
// # Field names and tags
//
// The name of a struct field is the name in its tag `npy:"name"`, or its Go name if the tag has
// none. An embedded struct is a field like any other.
//
// A code after the last comma of the tag selects a dtype that Go has no type for, in the byte order
// of the machine. It is a code that [Parse] reads; names such as float64 are not accepted there,
// because fields have such names:
//
//	TS    int64     `npy:"ts,M8[ns]"` // or m8: the count; the minimum is NaT
//	Name  [12]byte  `npy:"name,S12"`  // or V12: the bytes; f16 and c32 on [16]byte and [32]byte
//	Label [5]uint32 `npy:"label,U5"`  // the code points
//	Days  [3]int64  `npy:",M8[D]"`    // a sub-array, with its Go name
//
// Text after the comma that is not a dtype, or does not fit the Go type, is part of the name, since
// names in NumPy may contain commas: `npy:"x,y"` names the field x,y.
//
// # Padding
//
// A field is padding if it is unexported, is called _, or has the tag `npy:"-"`. Its bytes may have
// any value, so it must not contain pointers. Unless it is called _, it must not contain booleans
// either, whose bytes must be 0 or 1.
//
// Padding is part of the memory, but not of an element: a file that is written from a slice of such
// structs contains the bytes of the padding too. A struct that has only padding is an error, unless
// each field is called _ or has the tag `npy:"-"`.
func Of[T any]() (DType, error) { return of(reflect.TypeFor[T](), "") }

// floatsByBits maps the Go types that represent a float by its bits to their dtypes.
var floatsByBits = map[reflect.Type]DType{
	reflect.TypeFor[Half]():     Float16,
	reflect.TypeFor[BF16]():     BFloat16,
	reflect.TypeFor[F8E4M3FN](): Float8E4M3FN,
	reflect.TypeFor[F8E5M2]():   Float8E5M2,
}

func of(t reflect.Type, path string) (DType, error) {
	var d DType
	ok := false
	o, size := Native, int(t.Size())
	switch t.Kind() {
	case reflect.Bool:
		d, ok = numberType(KindBool, 1, o)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		d, ok = numberType(KindInt, size, o)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		d, ok = numberType(KindUint, size, o)
		if size <= 2 && t.PkgPath() != "" {
			if f, has := floatsByBits[t]; has {
				d = f
			}
		}
	case reflect.Float32, reflect.Float64:
		d, ok = numberType(KindFloat, size, o)
	case reflect.Complex64, reflect.Complex128:
		d, ok = numberType(KindComplex, size, o)
	case reflect.Array:
		var shape []int
		for ; t.Kind() == reflect.Array; t = t.Elem() {
			shape = append(shape, t.Len())
		}
		base, err := of(t, path)
		if err != nil {
			return DType{}, err
		}
		return SubarrayOf(base, shape...)
	case reflect.Struct:
		return ofStruct(t, path)
	}
	if !ok {
		field := ""
		if path != "" {
			field = "field " + path + ": "
		}
		return DType{}, errorf("%sGo type %v has no dtype; want numbers, bool, arrays and structs of them", field,
			t)
	}
	return d, nil
}

func ofStruct(t reflect.Type, path string) (DType, error) {
	var fields []Field
	hidden := "" // the first field that is padding only because it is unexported
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("npy")
		sub := f.Name
		if path != "" {
			sub = path + "." + f.Name
		}
		d, err := of(f.Type, sub)
		if err != nil {
			return DType{}, err // also for padding, which must not contain pointers
		}
		if i := strings.LastIndexByte(name, ','); i >= 0 {
			tagged, ok := taggedType(f.Type, d, name[i+1:])
			if ok && !tagged.IsNative() {
				return DType{},
					errorf("field %s: Go values are in the byte order of the machine, but the tag requires %v; remove the byte order from the tag",
						sub,
						tagged)
			}
			if ok {
				d, name = tagged, name[:i]
			}
		}
		if !f.IsExported() || name == "-" {
			if f.Name != "_" && hasBool(d) {
				return DType{},
					errorf("field %s: padding of Go type %v may have bytes that are neither true nor false; make it a uint8", sub,
						f.Type)
			}
			if f.Name != "_" && name != "-" && hidden == "" {
				hidden = sub
			}
			continue
		}
		if name == "" {
			name = f.Name
		}
		fields = append(fields, Field{Name: name, Type: d, Offset: int(f.Offset)})
	}
	if len(fields) == 0 && hidden != "" {
		return DType{},
			errorf("field %s: Go type %v has no exported field; names that start with a capital letter are exported",
				hidden, t)
	}
	return Struct(int(t.Size()), fields...)
}

// taggedType returns the dtype with the code text, for a field of Go type t, whose dtype without the
// code is d. ok is false if text is not a code, or values of t are not values of its dtype.
func taggedType(t reflect.Type, d DType, text string) (tagged DType, ok bool) {
	tagged, err := parser{}.text(text)
	if err != nil || tagged.size == 0 || tagged.kind == KindStructured || tagged.kind == KindSubarray {
		return DType{}, false
	}
	var shape []int
	for ; ; t = t.Elem() {
		if n := int(t.Size()); n == int(tagged.size) && hasValues(t, d.Base(), tagged) {
			tagged, err = SubarrayOf(tagged, shape...)
			return tagged, err == nil
		}
		if t.Kind() != reflect.Array {
			return DType{}, false
		}
		shape = append(shape, t.Len())
	}
}

// hasValues reports whether a Go value of type t, with numbers of dtype base and the size of an
// element of d, is a value of d.
func hasValues(t reflect.Type, base, d DType) bool {
	switch {
	case d.kind == KindDatetime || d.kind == KindTimedelta:
		return t.Kind() == reflect.Int64
	case d.kind == KindUnicode:
		return base.Equal(Uint32) && isFlat(t)
	case d.IsVariable() || d.IsLongDouble():
		return base.Equal(Uint8) && isFlat(t)
	}
	return t.Kind() != reflect.Array && d.WithByteOrder(Native).Equal(base)
}

// isFlat reports whether t is a number or an array of numbers.
func isFlat(t reflect.Type) bool {
	return t.Kind() != reflect.Array || t.Elem().Kind() != reflect.Array
}

// hasBool reports whether d contains a boolean. The padding of structs was checked before.
func hasBool(d DType) bool {
	for d.Kind() == KindSubarray {
		d = d.Base()
	}
	for k := range d.NumField() {
		if hasBool(d.FieldAt(k).Type) {
			return true
		}
	}
	return d.Kind() == KindBool
}
