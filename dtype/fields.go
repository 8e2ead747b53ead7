package dtype

import (
	"fmt"
	"iter"
	"slices"
)

// A Field is one named part of a structured type.
type Field struct {
	Name   string
	Title  string // a second name, which NumPy allows; usually empty
	Type   DType  // of kind KindSubarray for a block of values
	Offset int    // in bytes from the start of the element
}

// Struct is the structured type of fields at the offsets given, with itemsize
// bytes an element. A negative itemsize means: no bytes after the field that
// ends last. Names must be different from each other and from the titles.
//
//	dtype.Struct(-1, dtype.Field{Name: "x", Type: dtype.Float32},
//		dtype.Field{Name: "tag", Type: dtype.Bytes(8), Offset: 4})
func Struct(itemsize int, fields ...Field) (DType, error) {
	names := make(map[string]bool, len(fields))
	end := 0
	for _, f := range fields {
		if f.Type.kind == KindInvalid {
			return DType{}, fmt.Errorf("dtype: field %q has no type", f.Name)
		}
		if names[f.Name] || f.Title != "" && (names[f.Title] || f.Title == f.Name) {
			return DType{}, fmt.Errorf("dtype: the name or title of field %q is used twice", f.Name)
		}
		names[f.Name] = true
		if f.Title != "" {
			names[f.Title] = true
		}
		if f.Offset < 0 || f.Offset > maxSize-int(f.Type.size) {
			return DType{}, fmt.Errorf("dtype: field %q at offset %d does not fit an element of at most %d bytes", f.Name, f.Offset, maxSize)
		}
		end = max(end, f.Offset+int(f.Type.size))
	}
	if itemsize < 0 {
		itemsize = end
	}
	if itemsize < end || itemsize > maxSize {
		return DType{}, fmt.Errorf("dtype: fields end at byte %d of an element of %d bytes; want at most %d", end, itemsize, maxSize)
	}
	return DType{kind: KindStructured, size: int32(itemsize), more: &more{fields: slices.Clone(fields)}}, nil
}

// Packed is the structured type of fields one after the other without padding,
// in the order given; their offsets are set here.
func Packed(fields ...Field) (DType, error) {
	fields = slices.Clone(fields)
	end := 0
	for i := range fields {
		fields[i].Offset = end
		if end += int(fields[i].Type.size); end > maxSize {
			return DType{}, fmt.Errorf("dtype: field %q ends at byte %d of an element of at most %d bytes", fields[i].Name, end, maxSize)
		}
	}
	return Struct(end, fields...)
}

// NumField is the number of fields of a structured type, and 0 for others.
func (d DType) NumField() int {
	if d.kind != KindStructured {
		return 0
	}
	return len(d.more.fields)
}

// FieldAt is field i of a structured type. It panics if there is none.
func (d DType) FieldAt(i int) Field { return d.more.fields[i] }

// Fields iterates over the fields of a structured type in the order of the
// header. Padding is no field.
func (d DType) Fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for i := range d.NumField() {
			if !yield(d.more.fields[i]) {
				return
			}
		}
	}
}

// Field is the field of a structured type with that name or title. ok is false
// where there is none.
func (d DType) Field(name string) (f Field, ok bool) {
	for i := range d.NumField() {
		if f := d.more.fields[i]; f.Name == name || name != "" && f.Title == name {
			return f, true
		}
	}
	return Field{}, false
}

// SubarrayOf is the type of a block of base with that shape, in C order, as a
// field may have it. It allocates. An empty shape is base itself.
func SubarrayOf(base DType, shape ...int) (DType, error) {
	if len(shape) == 0 {
		return base, nil
	}
	if base.kind == KindInvalid {
		return DType{}, fmt.Errorf("dtype: a sub-array of no type")
	}
	n := int64(base.size)
	for _, dim := range shape {
		if dim < 0 {
			return DType{}, fmt.Errorf("dtype: sub-array dimension %d is negative", dim)
		}
		// n and dim are below 1<<31 each, so the product fits.
		if n *= int64(dim); int64(dim) > maxSize || n > maxSize {
			return DType{}, fmt.Errorf("dtype: a sub-array of shape %v has more than %d bytes", shape, maxSize)
		}
	}
	if len(shape) > 32 { // NPY_MAXDIMS of the NumPy versions that write such files
		return DType{}, fmt.Errorf("dtype: a sub-array of %d dimensions; want at most 32", len(shape))
	}
	return DType{kind: KindSubarray, size: int32(n), more: &more{base: base, shape: slices.Clone(shape)}}, nil
}

// Base is the type of one value of a [KindSubarray], and d itself for other kinds.
func (d DType) Base() DType {
	if d.kind != KindSubarray {
		return d
	}
	return d.more.base
}

// SubShape is the shape of a [KindSubarray], and nil for other kinds. It allocates.
func (d DType) SubShape() []int {
	if d.kind != KindSubarray {
		return nil
	}
	return slices.Clone(d.more.shape)
}
