package dtype

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/ndmap/ndmap/internal/pylit"
)

// A Field is a named part of a structured type.
type Field struct {
	Name   string
	Title  string // a second name, as NumPy allows; usually empty
	Type   DType  // a KindSubarray for a block of values
	Offset int    // offset in bytes from the start of the element
}

// Struct returns the structured type with the given fields at their offsets, and itemsize bytes per
// element. If itemsize is negative, the element ends with the field that ends last.
//
// Names and titles must be UTF-8 and different from each other. It is an error if they are not, if
// a field has no type or does not lie within the element, or if the element has more than 1<<31-1
// bytes. Fields may overlap, but such a type cannot be written to a header.
//
//	dtype.Struct(-1, dtype.Field{Name: "x", Type: dtype.Float32},
//		dtype.Field{Name: "tag", Type: dtype.Bytes(8), Offset: 4})
func Struct(itemsize int, fields ...Field) (DType, error) {
	names := make(names, len(fields))
	end := 0
	for _, f := range fields {
		if f.Type.kind == KindInvalid {
			return DType{}, errorf("field %q has no type", f.Name)
		}
		if err := names.add(f); err != nil {
			return DType{}, errorf("%w", err)
		}
		if f.Offset < 0 || f.Offset > maxSize-int(f.Type.size) {
			return DType{}, errorf("field %q at offset %d does not lie within an element of at most %d bytes", f.Name,
				f.Offset, maxSize)
		}
		end = max(end, f.Offset+int(f.Type.size))
	}
	if itemsize < 0 {
		itemsize = end
	}
	if itemsize < end {
		return DType{}, errorf("itemsize %d is too small; the fields end at byte %d", itemsize, end)
	}
	if itemsize > maxSize {
		return DType{}, errorf("itemsize %d is too large; want at most %d", itemsize, maxSize)
	}
	return DType{kind: KindStructured, size: int32(itemsize), composite: intern(composite{fields: slices.Clone(fields)})},
		nil
}

// names is the set of the names and titles of the fields of a type.
type names map[string]bool

// add adds the name and the title of f. The error has no prefix.
func (n names) add(f Field) error {
	switch {
	case !utf8.ValidString(f.Name) || !utf8.ValidString(f.Title):
		return fmt.Errorf("the name or title of field %q is not UTF-8", f.Name)
	case n[f.Name]:
		return fmt.Errorf("field %q has the name or title of another field", f.Name)
	case f.Title != "" && (n[f.Title] || f.Title == f.Name):
		return fmt.Errorf("the title %q of field %q is the name of a field, or the title of another", f.Title, f.Name)
	}
	n[f.Name] = true
	if f.Title != "" {
		n[f.Title] = true
	}
	return nil
}

// Packed returns the structured type of the fields in the given order without padding. It ignores
// Offset, and computes the offset of each field. The errors are the same as for [Struct].
func Packed(fields ...Field) (DType, error) {
	fields = slices.Clone(fields)
	end := 0
	for i := range fields {
		fields[i].Offset = end
		if end > maxSize-int(fields[i].Type.size) {
			break // Struct returns the error
		}
		end += int(fields[i].Type.size)
	}
	return Struct(-1, fields...)
}

// Packed returns d without padding: its fields follow each other in their order, as NumPy lays them
// out unless align is True. Nested structures are packed too, and other types are returned
// unchanged.
//
// The error is the same as for [Struct], for more than 1<<31-1 bytes. Packed allocates for
// structured types and sub-arrays.
func (d DType) Packed() (DType, error) { return d.relayout(false) }

// Aligned returns d in the layout of a Go struct with such fields, so that its elements can be used
// in place. NumPy makes the same layout with align=True on 64-bit machines.
//
// The fields keep their order. Each starts at the next multiple of its alignment, and the item size
// is a multiple of the largest alignment. Nested structures are aligned too, and other types are
// returned unchanged. The alignment is
//
//   - the size of a number or a time
//   - the size of one part of a complex number
//   - 4 bytes for U
//   - 1 byte for other text and for booleans
//
// The error is the same as for [Struct], for more than 1<<31-1 bytes. Aligned allocates for
// structured types and sub-arrays.
func (d DType) Aligned() (DType, error) { return d.relayout(true) }

func (d DType) relayout(align bool) (DType, error) {
	switch d.kind {
	case KindSubarray:
		base, err := d.composite.base.relayout(align)
		if err != nil {
			return DType{}, err
		}
		return SubarrayOf(base, d.composite.shape...)
	case KindStructured:
		fields := slices.Clone(d.composite.fields)
		end, maxAlign := int64(0), 1
		for k := range fields {
			f := &fields[k]
			var err error
			if f.Type, err = f.Type.relayout(align); err != nil {
				return DType{}, err
			}
			if align {
				a := f.Type.alignment()
				end, maxAlign = roundUp(end, a), max(maxAlign, a)
			}
			if end > maxSize-int64(f.Type.size) {
				return DType{}, errorf("field %q at offset %d does not lie within an element of at most %d bytes", f.Name, end,
					maxSize)
			}
			f.Offset = int(end)
			end += int64(f.Type.size)
		}
		if end = roundUp(end, maxAlign); end > maxSize {
			return DType{}, errorf("the aligned structure has %d bytes; want at most %d", end, maxSize)
		}
		return Struct(int(end), fields...)
	}
	return d, nil
}

// roundUp returns n rounded up to a multiple of power, a power of two.
func roundUp(n int64, power int) int64 { return (n + int64(power) - 1) &^ (int64(power) - 1) }

// alignment returns the alignment of d in C on 64-bit machines, in bytes.
func (d DType) alignment() int {
	switch d.kind {
	case KindBytes, KindVoid:
		return 1
	case KindUnicode:
		return 4
	case KindComplex:
		return int(d.size) / 2
	case KindSubarray:
		return d.composite.base.alignment()
	case KindStructured:
		a := 1
		for _, f := range d.composite.fields {
			a = max(a, f.Type.alignment())
		}
		return a
	}
	return int(d.size)
}

// NumField returns the number of fields of a structured type, and 0 for other kinds.
func (d DType) NumField() int {
	if d.kind != KindStructured {
		return 0
	}
	return len(d.composite.fields)
}

// FieldAt returns field i of a structured type, counted from 0. It panics with an error that wraps
// [ErrDType] if d has no such field.
func (d DType) FieldAt(i int) Field {
	if n := d.NumField(); uint(i) >= uint(n) {
		panic(errorf("no field %d in %v, which has %d fields", i, d, n))
	}
	return d.composite.fields[i]
}

// Fields returns an iterator over the fields of a structured type, in the order in which a header
// lists them. Padding is not a field.
func (d DType) Fields() iter.Seq[Field] {
	return func(yield func(Field) bool) {
		for i := range d.NumField() {
			if !yield(d.composite.fields[i]) {
				return
			}
		}
	}
}

// Field returns the field of a structured type with the given name or title. ok is false if no such
// field exists. The search is linear.
func (d DType) Field(name string) (f Field, ok bool) {
	for i := range d.NumField() {
		if f := d.composite.fields[i]; f.Name == name || name != "" && f.Title == name {
			return f, true
		}
	}
	return Field{}, false
}

// SubarrayOf returns the dtype of a sub-array of the given shape, in C order, with elements of
// dtype base. Fields of structured types can have such dtypes. For an empty shape it returns base
// itself.
//
// It returns an error if base is the zero DType, if a length is negative, if the shape has more
// than 32 dimensions, or if the sub-array has more than 1<<31-1 bytes. It also returns an error if
// base has 0 bytes and is not structured, because NumPy has no sub-arrays of such dtypes.
func SubarrayOf(base DType, shape ...int) (DType, error) {
	if err := checkBase(base); err != nil {
		return DType{}, errorf("%w", err)
	}
	if len(shape) == 0 {
		return base, nil
	}
	if len(shape) > maxSubDims {
		return DType{}, errorf("a sub-array of %d dimensions; want at most %d", len(shape), maxSubDims)
	}
	n := int64(1)
	for _, dim := range shape {
		if dim < 0 {
			return DType{}, errorf("sub-array dimension %d is negative", dim)
		}
		if int64(dim) > maxSize || n > math.MaxInt64/int64(max(dim, 1)) {
			return DType{}, errTooLarge(shape)
		}
		n *= int64(dim)
	}
	if n > maxSize || n*int64(base.size) > maxSize {
		return DType{}, errTooLarge(shape)
	}
	return DType{kind: KindSubarray, size: int32(n * int64(base.size)), composite: intern(composite{base: base,
		shape: slices.Clone(shape)})}, nil
}

// maxSubDims is NPY_MAXDIMS of the NumPy versions that write sub-arrays.
const maxSubDims = 32

func errTooLarge(shape []int) error {
	return errorf("a sub-array of shape %s has more than %d bytes", pylit.AppendTuple(nil, shape), maxSize)
}

// checkBase returns an error if no sub-array of base exists. The error has no prefix.
func checkBase(base DType) error {
	if base.kind == KindInvalid {
		return fmt.Errorf("the sub-array has the zero DType as its base")
	}
	if base.size == 0 && base.kind != KindStructured {
		// NumPy reads a shape after such a type as its size.
		return fmt.Errorf("a sub-array of %v, which has 0 bytes", base)
	}
	return nil
}

// Base returns the type of one value of a [KindSubarray], and d itself for other kinds.
func (d DType) Base() DType {
	if d.kind != KindSubarray {
		return d
	}
	return d.composite.base
}

// SubShape returns the shape of a [KindSubarray], and nil for other kinds. It allocates.
func (d DType) SubShape() []int {
	if d.kind != KindSubarray {
		return nil
	}
	return slices.Clone(d.composite.shape)
}
